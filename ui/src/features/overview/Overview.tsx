import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo } from "react";

import { calendarQuery, failedTasksQuery, recentRunsQuery } from "~/api/dagQueries";
import { Card } from "~/components/Card";
import { Chart } from "~/components/chart/Chart";
import { Facts } from "~/components/Facts";
import { Moment } from "~/components/Moment";
import { useNow } from "~/lib/now";
import { useSettings } from "~/lib/settings";
import { duration } from "~/lib/time";
import { inZone } from "~/lib/zoned";

import { dayBars, daysUntil, durationBars, failuresByTask, summaryOf } from "./overview.model";
import styles from "./Overview.module.css";

const daysShown = 30;
const tasksShown = 8;
const failuresShown = 5;

/** How long the newest runs took. */
export function Durations({ dagId }: { dagId: string }) {
  const { data: runs = [], error, isPending } = useQuery(recentRunsQuery(dagId));
  const { zone } = useSettings();
  const now = useNow();
  const { ended, failed, usual } = useMemo(() => summaryOf(runs), [runs]);
  const bars = durationBars(runs, now, (at) => inZone(at, zone).slice(5, 10));
  return (
    <Card
      title="Duration of the newest runs"
      count={isPending ? undefined : runs.length}
      error={error}
      isLoading={isPending}
      empty={!isPending && runs.length === 0 && "It has no runs yet. Trigger one, or unpause the DAG."}
      more={
        <Link to="/dags/$dagId/runs" params={{ dagId }}>
          All runs
        </Link>
      }
    >
      <Facts
        facts={[
          ["Usually", usual === undefined ? undefined : duration(usual)],
          ["Failed", ended === 0 ? undefined : `${failed} of ${ended}`],
        ]}
      />
      <Chart
        label="Duration of the newest runs"
        unit="seconds"
        bars={bars}
        usual={usual === undefined ? undefined : { value: usual, name: "Usually" }}
        link={({ key }, inner) => (
          <Link to="/dags/$dagId/runs/$runId" params={{ dagId, runId: key }}>
            {inner}
          </Link>
        )}
      />
    </Card>
  );
}

/** How the runs of the last days ended. */
export function RunsByDay({ dagId }: { dagId: string }) {
  const { zone } = useSettings();
  const now = useNow();
  const today = inZone(new Date(now).toISOString(), zone).slice(0, 10);
  const days = useMemo(() => daysUntil(today, daysShown), [today]);
  const range = { first: days[0] ?? today, last: today, zone, by: "day" as const };
  const { data, error, isPending } = useQuery(calendarQuery(dagId, range));
  return (
    <Card
      title={`Runs of the last ${daysShown} days`}
      error={error}
      isLoading={isPending}
      more={
        <Link to="/dags/$dagId/calendar" params={{ dagId }}>
          Calendar
        </Link>
      }
    >
      <Chart
        label="Runs by day and state"
        unit="count"
        bars={dayBars(days, data?.spans ?? {})}
        link={({ key, parts }, inner) =>
          parts.length === 0 ? (
            inner
          ) : (
            <Link to="/dags/$dagId/runs" params={{ dagId }} search={{ from: key, to: key }}>
              {inner}
            </Link>
          )
        }
      />
    </Card>
  );
}

/** Which tasks fail most, and which failed last. */
export function FailingTasks({ dagId }: { dagId: string }) {
  const { data, error, isPending } = useQuery(failedTasksQuery(dagId));
  const tasks = failuresByTask(data?.rows ?? [], tasksShown);
  return (
    <>
      <Card
        title="Failures by task"
        count={data?.total}
        error={error}
        isLoading={isPending}
        empty={data?.rows.length === 0 && "No task has failed."}
        more={data && data.total > data.rows.length && `of the latest ${data.rows.length}`}
      >
        <ul className={styles.failing}>
          {tasks.map(({ taskId, name, number, share }) => (
            <li key={taskId}>
              <Link to="/dags/$dagId/tasks/$taskId" params={{ dagId, taskId }}>
                {name}
              </Link>
              <span aria-hidden="true">
                <span data-state="failed" style={{ width: `${share}%` }} />
              </span>
              <span>{number}</span>
            </li>
          ))}
        </ul>
      </Card>
      {data && data.rows.length > 0 && (
        <Card
          title="Latest failures"
          more={
            <Link to="/task_instances" search={{ dag: dagId, state: "failed" }}>
              All of them
            </Link>
          }
        >
          <ul className={styles.latest}>
            {data.rows.slice(0, failuresShown).map((task) => (
              <li key={task.id}>
                <Link
                  to="/dags/$dagId/runs/$runId/tasks/$taskId"
                  params={{ dagId, runId: task.dag_run_id, taskId: task.task_id }}
                  search={{ tab: "logs", ...(task.map_index >= 0 && { map_index: task.map_index }) }}
                >
                  {task.task_display_name}
                  {task.map_index >= 0 && ` [${task.rendered_map_index ?? task.map_index}]`}
                </Link>
                <span title={task.dag_run_id}>{task.dag_run_id}</span>
                <Moment at={task.end_date} />
              </li>
            ))}
          </ul>
        </Card>
      )}
    </>
  );
}
