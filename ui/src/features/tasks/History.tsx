import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type ReactNode, useMemo } from "react";

import type { Schemas } from "~/api/client";
import { dagTaskQuery, historyQuery } from "~/api/dagQueries";
import { graphQuery } from "~/api/queries";
import { Card } from "~/components/Card";
import { Chart } from "~/components/chart/Chart";
import type { ChartBar } from "~/components/chart/chart.model";
import { type Fact, Facts } from "~/components/Facts";
import { Markdown } from "~/components/Markdown";
import { Failed } from "~/components/Failed";
import { State } from "~/components/State";
import { useNow } from "~/lib/now";
import { useSettings } from "~/lib/settings";
import { stateName } from "~/lib/states";
import { duration } from "~/lib/time";
import { inZone } from "~/lib/zoned";

import {
  historyBars,
  historySummary,
  type HistorySummary,
  members,
  type Occurrence,
  occurrences,
  statesWords,
} from "./history.model";
import styles from "./History.module.css";

/** One task in the newest runs: states, durations, tries, and the way to each log. */
export function TaskHistory({ dagId, taskId }: { dagId: string; taskId: string }) {
  const { data: task, error: unknown } = useQuery(dagTaskQuery(dagId, taskId));
  const { data, error, isPending } = useQuery(historyQuery(dagId, { task: taskId }));
  const now = useNow();
  const all = useMemo(() => occurrences(data?.runs ?? [], now), [data, now]);
  // Of a task that is gone, runs may still tell; nobody else knows of it.
  if (unknown && !isPending && all.length === 0) {
    return <CannotBeShown what="task" dagId={dagId} error={unknown} />;
  }
  return (
    <div className={styles.history}>
      <header>
        <h2>{task?.task_display_name ?? taskId}</h2>
        {unknown && <small>The newest version of the DAG does not have it any more.</small>}
        <WaysFromTask dagId={dagId} taskId={taskId} newest={all.at(-1)?.runId} />
      </header>
      <Facts facts={[...(task ? settingsOf(task) : []), ...summaryFacts(historySummary(all))]} />
      {task?.doc_md && (
        <section aria-label="Documentation">
          <Markdown source={task.doc_md} />
        </section>
      )}
      <DurationCard
        all={all}
        error={error}
        isLoading={isPending}
        link={({ key: runId }, inner) => (
          <Link to="/dags/$dagId/runs/$runId/tasks/$taskId" params={{ dagId, runId, taskId }}>
            {inner}
          </Link>
        )}
      />
      {all.length > 0 && <Occurrences dagId={dagId} taskId={taskId} all={all} />}
    </div>
  );
}

function settingsOf(task: Schemas["TaskResponse"]): Fact[] {
  return [
    ["Operator", task.operator_name],
    ["Trigger rule", task.trigger_rule?.replaceAll("_", " ")],
    ["Retries", task.retries],
    ["Pool", task.pool],
    ["Owner", task.owner],
  ];
}

function WaysFromTask({ dagId, taskId, newest }: { dagId: string; taskId: string; newest: string | undefined }) {
  const { data: graph } = useQuery(graphQuery(dagId));
  const groupId = graph?.rows.find(({ node_id: id, is_group: isGroup }) => id === taskId && !isGroup)?.parent_id;
  return (
    <>
      {groupId != null && (
        <Link to="/dags/$dagId/tasks/group/$groupId" params={{ dagId, groupId }}>
          In group {groupId}
        </Link>
      )}
      {newest !== undefined && (
        <Link to="/dags/$dagId" params={{ dagId }} search={{ run: newest, task: taskId }}>
          Newest run
        </Link>
      )}
      <Link to="/dags/$dagId/graph" params={{ dagId }} search={{ task: taskId, around: "both" }}>
        What is around it
      </Link>
      <Link to="/task_instances" search={{ dag: dagId, task: taskId }}>
        All its instances
      </Link>
    </>
  );
}

function CannotBeShown({ what, dagId, error }: { what: "task" | "group"; dagId: string; error: Error }) {
  return (
    <Failed title={`This ${what} cannot be shown`} error={error}>
      <Link to="/dags/$dagId/tasks" params={{ dagId }}>
        All tasks
      </Link>
    </Failed>
  );
}

/** A group of tasks in the newest runs, and each of its tasks. */
export function GroupHistory({ dagId, groupId }: { dagId: string; groupId: string }) {
  const { data: graph } = useQuery(graphQuery(dagId));
  const { data, error, isPending } = useQuery(historyQuery(dagId, { group: groupId }));
  const now = useNow();
  const all = useMemo(() => occurrences(data?.runs ?? [], now), [data, now]);
  // Once a minute is often enough for what goes on: there may be thousands of tasks.
  const minute = Math.floor(now / 60_000) * 60_000;
  const tasks = useMemo(() => members(data?.runs ?? [], minute), [data, minute]);
  const group = graph?.rows.find(({ node_id: id, is_group: isGroup }) => id === groupId && isGroup);
  if (error) return <CannotBeShown what="group" dagId={dagId} error={error} />;
  return (
    <div className={styles.history}>
      <header>
        <h2>{group?.label ?? groupId}</h2>
        <small>Group of {tasks.length} tasks</small>
        {group?.parent_id != null && (
          <Link to="/dags/$dagId/tasks/group/$groupId" params={{ dagId, groupId: group.parent_id }}>
            In group {group.parent_id}
          </Link>
        )}
      </header>
      <Facts facts={summaryFacts(historySummary(all))} />
      <DurationCard
        all={all}
        error={null}
        isLoading={isPending}
        link={({ key: run }, inner) => (
          <Link to="/dags/$dagId" params={{ dagId }} search={{ run }}>
            {inner}
          </Link>
        )}
      />
      {tasks.length > 0 && (
        <div className={styles.scroller}>
          <table className={styles.table} aria-label="Tasks of the group">
            <thead>
              <tr>
                <th>Task</th>
                <th>Newest runs</th>
                <th>Failed</th>
                <th>Retried</th>
                <th>Usually took</th>
              </tr>
            </thead>
            <tbody>
              {tasks.map(({ taskId, states, summary }) => (
                <tr key={taskId}>
                  <td>
                    <Link to="/dags/$dagId/tasks/$taskId" params={{ dagId, taskId }}>
                      {taskId}
                    </Link>
                  </td>
                  <td>
                    <span
                      className={styles.states}
                      role="img"
                      aria-label={states
                        .map((state) => (state === undefined ? "not there" : stateName(state)))
                        .join(", ")}
                    >
                      {states.map((state, number) => (
                        <span key={number} data-state={state ?? "removed"} data-absent={state === undefined} />
                      ))}
                    </span>
                  </td>
                  <td>
                    {summary.failed} of {summary.runs}
                  </td>
                  <td>{summary.retried}</td>
                  <td>{summary.usual === undefined ? "" : duration(summary.usual)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}

function summaryFacts({ runs, failed, retried, usual }: HistorySummary): Fact[] {
  return [
    ["Failed", runs === 0 ? undefined : `in ${failed} of ${runs} runs`],
    ["Retried", retried === 0 ? undefined : `in ${retried} of ${runs} runs`],
    ["Usually", usual === undefined ? undefined : duration(usual)],
  ];
}

interface DurationProps {
  all: readonly Occurrence[];
  error: Error | null;
  isLoading: boolean;
  link: (bar: ChartBar, inner: ReactNode) => ReactNode;
}

function DurationCard({ all, error, isLoading, link }: DurationProps) {
  const { usual } = historySummary(all);
  const { zone } = useSettings();
  return (
    <Card
      title="Duration in the newest runs"
      count={isLoading ? undefined : all.length}
      error={error}
      isLoading={isLoading}
      empty={!isLoading && all.length === 0 && "No run has it yet. Trigger one to see it here."}
    >
      <Chart
        label="Duration in the newest runs"
        unit="seconds"
        bars={historyBars(all, (at) => inZone(at, zone).slice(5, 10))}
        usual={usual === undefined ? undefined : { value: usual, name: "Usually" }}
        link={link}
      />
    </Card>
  );
}

function Occurrences({ dagId, taskId, all }: { dagId: string; taskId: string; all: readonly Occurrence[] }) {
  return (
    <div className={styles.scroller}>
      <table className={styles.table} aria-label="In the newest runs">
        <thead>
          <tr>
            <th>Run</th>
            <th>State</th>
            <th>Took</th>
            <th>Tries</th>
            <th>Log</th>
          </tr>
        </thead>
        <tbody>
          {all.toReversed().map(({ runId, states, state, seconds, tries }) => (
            <tr key={runId}>
              <td>
                <Link to="/dags/$dagId/runs/$runId" params={{ dagId, runId }}>
                  {runId}
                </Link>
              </td>
              <td>
                <State state={state} />
                {Object.values(states).reduce<number>((sum, each) => sum + (each ?? 0), 0) > 1 && (
                  <small> {statesWords(states)}</small>
                )}
              </td>
              <td>{seconds === undefined ? "" : duration(seconds)}</td>
              <td>{tries}</td>
              <td>
                <Link
                  to="/dags/$dagId/runs/$runId/tasks/$taskId"
                  params={{ dagId, runId, taskId }}
                  search={{ tab: "logs" }}
                  aria-label={`Log in ${runId}`}
                >
                  Log
                </Link>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
