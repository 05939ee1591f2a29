/** What people clear or mark, and how the server is asked for it. */
import type { Schemas } from "~/api/client";

/** Tasks of one run: all copies of a task have no map index. */
export interface Tasks {
  kind: "tasks";
  dagId: string;
  runId: string;
  tasks: { taskId: string; mapIndex: number | undefined }[];
}

/** Whole runs. */
export interface Runs {
  kind: "runs";
  dagId: string;
  runIds: string[];
}

export type Target = Tasks | Runs;

export interface Reach {
  upstream: boolean;
  downstream: boolean;
  past: boolean;
  future: boolean;
}

export interface ClearOptions extends Reach {
  onlyFailed: boolean;
  /** Of runs: only tasks that they do not have yet, as their DAG has got more. */
  onlyNew: boolean;
  onLatestVersion: boolean;
  preventRunning: boolean;
}

export const nowhere: Reach = { upstream: false, downstream: false, past: false, future: false };

export function clearDefaults({ kind }: Target): ClearOptions {
  return {
    ...nowhere,
    downstream: kind === "tasks",
    onlyFailed: false,
    onlyNew: false,
    onLatestVersion: false,
    preventRunning: false,
  };
}

export function clearTasksBody(
  { runId, tasks }: Tasks,
  options: ClearOptions,
  isDryRun: boolean,
  note: string,
): Schemas["ClearTaskInstancesBody"] {
  return {
    dry_run: isDryRun,
    dag_run_id: runId,
    task_ids: tasks.map(({ taskId, mapIndex }) => (mapIndex === undefined ? taskId : [taskId, mapIndex])),
    include_upstream: options.upstream,
    include_downstream: options.downstream,
    include_past: options.past,
    include_future: options.future,
    only_failed: options.onlyFailed,
    run_on_latest_version: options.onLatestVersion,
    prevent_running_task: options.preventRunning,
    ...(note.trim() !== "" && { note }),
  };
}

export function clearRunsBody(
  { runIds }: Runs,
  options: ClearOptions,
  isDryRun: boolean,
  note: string,
): Schemas["BulkDAGRunClearBody"] {
  return {
    dry_run: isDryRun,
    dag_runs: runIds.map((dag_run_id) => ({ dag_run_id })),
    only_failed: options.onlyFailed,
    only_new: options.onlyNew,
    run_on_latest_version: options.onLatestVersion,
    ...(note.trim() !== "" && { note }),
  };
}

export type Mark = "success" | "failed" | "skipped";

export function markBody(state: Mark, reach: Reach, note: string): Schemas["PatchTaskInstanceBody"] {
  return {
    new_state: state,
    include_upstream: reach.upstream,
    include_downstream: reach.downstream,
    include_past: reach.past,
    include_future: reach.future,
    ...(note.trim() !== "" && { note }),
  };
}

/** Those of a run that a mark changes: what has not ended, and for a success also what ended otherwise. */
export function statesMarked(state: Mark): string[] {
  const unfinished = [
    "none",
    "scheduled",
    "queued",
    "running",
    "restarting",
    "up_for_retry",
    "up_for_reschedule",
    "deferred",
    "awaiting_input",
  ];
  return state === "success" ? [...unfinished, "failed", "upstream_failed", "skipped", "removed"] : unfinished;
}

/** What is meant, in a title. */
export function nameOf(target: Target): string {
  if (target.kind === "runs") {
    return target.runIds.length === 1 ? `run ${target.runIds[0] ?? ""}` : `${target.runIds.length} runs`;
  }
  const [first] = target.tasks;
  if (target.tasks.length !== 1 || first === undefined) return `${target.tasks.length} tasks`;
  return first.mapIndex === undefined || first.mapIndex < 0 ? first.taskId : `${first.taskId}[${first.mapIndex}]`;
}

export interface Affected {
  key: string;
  taskId: string;
  name: string;
  runId: string | undefined;
  state: string | null | undefined;
}

type Known = Schemas["TaskInstanceResponse"] | Schemas["NewTaskResponse"];

/** Task instances of an answer, and tasks that a run would get. */
export function affected(tasks: readonly Known[]): Affected[] {
  return tasks.map((task) => {
    if (!("map_index" in task)) {
      const { task_id: taskId } = task;
      return { key: `new ${taskId}`, taskId, name: `${taskId} (new)`, runId: undefined, state: undefined };
    }
    const { task_id: taskId, map_index: index, dag_run_id: runId, state } = task;
    const name = index < 0 ? taskId : `${taskId}[${task.rendered_map_index ?? index}]`;
    return { key: `${runId} ${taskId} ${index}`, taskId, name, runId, state };
  });
}
