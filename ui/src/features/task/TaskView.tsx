import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { api, data, type Schemas } from "~/api/client";
import { inquiryQuery, instanceQuery } from "~/api/instanceQueries";
import { useIsKnown, useMay } from "~/api/permissions";
import { taskExplanationQuery, type TaskPlace } from "~/api/queries";
import { AuditTable } from "~/components/AuditTable";
import { Note } from "~/components/Note";
import { Failed } from "~/components/Failed";
import { Skeleton } from "~/components/Skeleton";
import { State } from "~/components/State";
import { type MoreTab, TabsAndMore } from "~/components/Tabs";
import { isActive } from "~/lib/states";

import { Attempts } from "./Attempts";
import { ExtraLinks } from "./ExtraLinks";
import { Produced } from "./Produced";
import { RenderedFields } from "./RenderedFields";
import { StateStore } from "./StateStore";
import { availableTabs, shownTry, tabOf, type TaskTab, taskTabs } from "./task.model";
import { TaskDetails, TaskFacts } from "./TaskDetails";
import styles from "./TaskView.module.css";
import { XComs } from "./XComs";

type Task = Schemas["TaskInstanceResponse"];

interface Props {
  place: TaskPlace;
  tab: string | undefined;
  tryNumber: number | undefined;
  onTab: (tab: string, tryNumber?: number) => void;
  actions: ReactNode;
  /** In the place of all this, where the task has copies and none is chosen. */
  copies: ReactNode;
  /** Above the tabs while it does not run. */
  explain: (why: Schemas["TaskExplanationResponse"]) => ReactNode;
  log: (task: Task, tryNumber: number) => ReactNode;
  /** What it asks people, and a way to answer. */
  question: (inquiry: Schemas["HITLDetail"]) => ReactNode;
  more?: readonly MoreTab[];
}

/** All about one task instance. */
export function TaskView(props: Props) {
  const { place, copies } = props;
  const { data: task, error } = useQuery(instanceQuery(place));
  const waits = isWaiting(task);
  const why = useQuery({ ...taskExplanationQuery(place), enabled: waits });
  const isKnown = useIsKnown();
  if (error)
    return (
      <Failed title="The task could not be loaded" error={error}>
        <Link to="/dags/$dagId/runs/$runId" params={{ dagId: place.dagId, runId: place.runId }}>
          Run {place.runId}
        </Link>
      </Failed>
    );
  if (task === undefined || why.isLoading || !isKnown) return <Skeleton />;
  if (task === "copies") return copies;
  return (
    <section className={styles.task} aria-label={`Task ${place.taskId}`}>
      <header>
        <h2>
          {task.task_display_name}
          {place.mapIndex >= 0 && ` [${task.rendered_map_index ?? place.mapIndex}]`}
        </h2>
        <State state={task.state} />
        {place.mapIndex >= 0 && (
          <Link to="/dags/$dagId" params={{ dagId: place.dagId }} search={{ run: place.runId, task: place.taskId }}>
            All copies
          </Link>
        )}
        <Link to="/dags/$dagId/tasks/$taskId" params={{ dagId: place.dagId, taskId: place.taskId }}>
          In all runs
        </Link>
        <div className={styles.actions}>{props.actions}</div>
      </header>
      <TaskFacts task={task} />
      <ExtraLinks place={place} />
      <TaskNote place={place} note={task.note} />
      {waits && why.data && props.explain(why.data)}
      <TaskTabs {...props} task={task} />
    </section>
  );
}

/** Whether somebody may ask why it does not run. */
function isWaiting(task: Task | "copies" | undefined): boolean {
  if (task === undefined || task === "copies") return false;
  const { state } = task;
  return state !== "running" && (isActive(state) || state === "awaiting_input");
}

function TaskTabs({ task, place, tab, tryNumber, onTab, log, question, more }: Props & { task: Task }) {
  const may = useMay();
  // Asking for every task would be a request in vain: only tasks of these operators ask people.
  const { data: inquiry } = useQuery({ ...inquiryQuery(place), enabled: mayAsk(task) });
  const available = availableTabs({ question: !!inquiry, auditLog: may("read", "audit log").isAllowed });
  const isAsking = inquiry?.response_received === false && task.state === "awaiting_input";
  const chosen = tabOf(tab ?? (isAsking ? "required_actions" : undefined), available);
  const showLog = (number: number) => {
    onTab("logs", number);
  };
  return (
    <TabsAndMore
      label="About the task"
      tabs={taskTabs.filter(([name]) => available.includes(name))}
      chosen={chosen}
      wanted={tab}
      more={more}
      onChoose={(name) => {
        onTab(name);
      }}
    >
      {chosen === "logs" && (
        <>
          <Tries latest={task.try_number} shown={shownTry(tryNumber, task.try_number)} onChoose={showLog} />
          {log(task, shownTry(tryNumber, task.try_number))}
        </>
      )}
      {chosen === "required_actions" && inquiry && question(inquiry)}
      {contentOf(chosen, task, place, showLog)}
    </TabsAndMore>
  );
}

function contentOf(tab: TaskTab, task: Task, place: TaskPlace, showLog: (tryNumber: number) => void): ReactNode {
  switch (tab) {
    case "rendered_templates":
      return <RenderedFields fields={task.rendered_fields ?? {}} />;
    case "xcom":
      return <XComs place={place} />;
    case "state_store":
      return <StateStore place={place} />;
    case "attempts":
      return <Attempts place={place} onLog={showLog} />;
    case "asset_events":
      return <Produced place={place} />;
    case "audit_log":
      return <AuditTable {...place} />;
    case "details":
      return <TaskDetails task={task} />;
    default:
      return null;
  }
}

function mayAsk({ state, operator_name: operator, operator: kind }: Task): boolean {
  return state === "awaiting_input" || /hitl|approval/i.test(`${operator ?? ""} ${kind ?? ""}`);
}

interface TriesProps {
  latest: number;
  shown: number;
  onChoose: (tryNumber: number) => void;
}

function Tries({ latest, shown, onChoose }: TriesProps) {
  if (latest < 2) return null;
  return (
    <label className={styles.tries}>
      Try{" "}
      <select
        value={shown}
        onChange={({ target }) => {
          onChoose(Number(target.value));
        }}
      >
        {Array.from({ length: latest }, (_, index) => (
          <option key={index} value={index + 1}>
            {index + 1 === latest ? `${latest} (latest)` : index + 1}
          </option>
        ))}
      </select>
    </label>
  );
}

function TaskNote({ place, note }: { place: TaskPlace; note: string | null }) {
  const { dagId, runId, taskId, mapIndex } = place;
  const client = useQueryClient();
  const { reason } = useMay()("edit", "DAG", dagId);
  return (
    <Note
      note={note}
      refusal={reason}
      save={async (text) => {
        await data(
          api.PATCH("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}", {
            params: {
              path: { dag_id: dagId, dag_run_id: runId, task_id: taskId },
              query: { map_index: mapIndex, update_mask: ["note"] },
            },
            body: { note: text },
          }),
        );
        await client.invalidateQueries({ queryKey: ["task", dagId, runId, taskId] });
      }}
    />
  );
}
