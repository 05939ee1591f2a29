/** What the addresses of a DAG's views say besides the view: what is chosen, and what is looked for. */
import type { GridParameters } from "~/api/queries";
import { runStates, runTypes } from "~/features/runs/runs.model";
import { type Direction, directions } from "~/lib/settings";

export interface DagSearch {
  /** The chosen run, task and copy. */
  run?: string | undefined;
  task?: string | undefined;
  map?: number | undefined;
  /** The chosen group, in the place of a task. */
  task_group?: string | undefined;
  /** What is shown of it, and of which try. */
  tab?: string | undefined;
  try?: number | undefined;
  /** How many runs the grid shows, and before which place in their order: the newest, if it names none. */
  num?: number | undefined;
  before?: string | undefined;
  /** Of tasks: a part of their name. */
  q?: string | undefined;
  /** Of runs: their state, type, a part of their id, who asked for them, and the days between which they are. */
  state?: string | undefined;
  type?: string | undefined;
  id?: string | undefined;
  user?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  /** A year or a month of the calendar: `2026`, `2026-01`. */
  when?: string | undefined;
  /** The two runs to compare. */
  left?: string | undefined;
  right?: string | undefined;
  /** Versions: the one whose code or graph is shown, and the one that its code is compared with. */
  version?: number | undefined;
  against?: number | undefined;
  /** What of the graph is shown: all, or what a task depends on, or what depends on it. */
  around?: "upstream" | "downstream" | "both" | undefined;
  /** How many steps from that task; however many, if it does not say. */
  depth?: number | undefined;
  /** Which of the tasks are shown in the graph. */
  task_state?: string | undefined;
  operator?: string | undefined;
  group?: string | undefined;
  /** At least so many seconds, and with a copy of this number. */
  took?: number | undefined;
  copy?: number | undefined;
  /** Whether assets and DAGs around it are shown, too. */
  outside?: boolean | undefined;
  /** Where the graph leads to. */
  direction?: Direction | undefined;
}

const ofRuns = ["state", "type", "id", "user", "from", "to"] as const;
const ofTasks = ["q", "task_state", "operator", "group"] as const;
const texts = ["run", "task", "task_group", "when", "left", "right", "tab", "before", ...ofRuns, ...ofTasks] as const;
const numbers = ["map", "try", "num", "version", "against", "depth", "took", "copy"] as const;
const around = ["upstream", "downstream", "both"];

export function dagSearch(given: Record<string, unknown>): DagSearch {
  const found: Record<string, unknown> = {};
  for (const name of texts) if (given[name] !== undefined && given[name] !== null) found[name] = text(given[name]);
  for (const name of numbers) if (Number.isInteger(given[name])) found[name] = given[name];
  if (around.includes(String(given.around))) found.around = given.around;
  if (directions.includes(given.direction as Direction)) found.direction = given.direction;
  if (given.outside === true) found.outside = true;
  return found;
}

/** How many things are asked of the runs of the grid. */
export function countRunFilters({ state, type, user, from, to }: DagSearch): number {
  return [state, type, user, from, to].filter(Boolean).length;
}

/** What the server is asked for a grid. A state or a type that there is not is not asked for. */
export function gridParameters(
  { state, type, user, before }: DagSearch,
  most: number,
  between: { after?: string; before?: string },
): GridParameters {
  const runState = runStates.find((each) => each === state);
  const runType = runTypes.find((each) => each === type);
  return {
    most,
    ...(before !== undefined && { before }),
    ...(runState !== undefined && { state: runState }),
    ...(runType !== undefined && { run_type: runType }),
    ...(user && { triggered_by: user }),
    ...(between.after !== undefined && { run_after_gte: between.after }),
    ...(between.before !== undefined && { run_after_lt: between.before }),
  };
}

/** What goes along from one view to another: what is chosen. */
export function chosen({ run, task, task_group, map }: DagSearch): DagSearch {
  return {
    ...(run !== undefined && { run }),
    ...(task !== undefined && { task }),
    ...(task_group !== undefined && { task_group }),
    ...(map !== undefined && { map }),
  };
}

/** The router takes what looks like a number or a truth value for one. */
function text(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
