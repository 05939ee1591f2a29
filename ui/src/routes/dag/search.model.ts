/** What the addresses of a DAG's views say besides the view: what is chosen, and what is looked for. */

export interface DagSearch {
  /** The chosen run, task and copy. */
  run?: string | undefined;
  task?: string | undefined;
  map?: number | undefined;
  /** What is shown of it, and of which try. */
  tab?: string | undefined;
  try?: number | undefined;
  /** How many runs the grid shows. */
  num?: number | undefined;
  /** Of runs: their state, type, a part of their id, and the days between which they are. */
  state?: string | undefined;
  type?: string | undefined;
  id?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  /** A year or a month of the calendar: `2026`, `2026-01`. */
  when?: string | undefined;
  /** The two runs to compare. */
  left?: string | undefined;
  right?: string | undefined;
  /** Versions of the code: the one that is shown, and the one that it is compared with. */
  version?: number | undefined;
  against?: number | undefined;
  /** What of the graph is shown: all, or what a task depends on, or what depends on it. */
  around?: "upstream" | "downstream" | "both" | undefined;
}

const texts = ["run", "task", "state", "type", "id", "from", "to", "when", "left", "right", "tab"] as const;
const numbers = ["map", "try", "num", "version", "against"] as const;
const around = ["upstream", "downstream", "both"];

export function dagSearch(given: Record<string, unknown>): DagSearch {
  const found: Record<string, unknown> = {};
  for (const name of texts) if (given[name] !== undefined && given[name] !== null) found[name] = text(given[name]);
  for (const name of numbers) if (Number.isInteger(given[name])) found[name] = given[name];
  if (around.includes(String(given.around))) found.around = given.around;
  return found;
}

/** What goes along from one view to another: what is chosen. */
export function chosen({ run, task, map }: DagSearch): DagSearch {
  return {
    ...(run !== undefined && { run }),
    ...(task !== undefined && { task }),
    ...(map !== undefined && { map }),
  };
}

/** The router takes what looks like a number or a truth value for one. */
function text(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
