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

/** All tasks of a group, with all their copies, in one run. */
export interface Group {
  kind: "group";
  dagId: string;
  runId: string;
  groupId: string;
  taskIds: string[];
}

/** Tasks of several runs of one DAG. */
export interface Several {
  kind: "several";
  dagId: string;
  parts: Tasks[];
}

export type Target = Tasks | Runs | Group | Several;

interface ChosenTask {
  runId: string;
  taskId: string;
  mapIndex: number;
}

/** These, run by run. */
export function tasksByRun(dagId: string, chosen: readonly ChosenTask[]): Several {
  const parts = new Map<string, Tasks>();
  for (const { runId, taskId, mapIndex } of chosen) {
    const part = parts.get(runId) ?? { kind: "tasks", dagId, runId, tasks: [] };
    part.tasks.push({ taskId, mapIndex });
    parts.set(runId, part);
  }
  return { kind: "several", dagId, parts: [...parts.values()] };
}

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
    downstream: kind !== "runs",
    onlyFailed: false,
    onlyNew: false,
    onLatestVersion: false,
    preventRunning: false,
  };
}

export function clearTasksBody(
  target: Tasks | Group,
  options: ClearOptions,
  isDryRun: boolean,
  note: string,
): Schemas["ClearTaskInstancesBody"] {
  return {
    dry_run: isDryRun,
    dag_run_id: target.runId,
    task_ids: target.kind === "group" ? target.taskIds : target.tasks.map(idOf),
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

function idOf({ taskId, mapIndex }: Tasks["tasks"][number]): string | [string, number] {
  return mapIndex === undefined ? taskId : [taskId, mapIndex];
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
  if (target.kind === "group") return `group ${target.groupId}`;
  if (target.kind === "several") {
    const [only] = target.parts;
    const number = target.parts.reduce((sum, { tasks }) => sum + tasks.length, 0);
    return target.parts.length === 1 && only !== undefined
      ? nameOf(only)
      : `${number} tasks of ${target.parts.length} runs`;
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
