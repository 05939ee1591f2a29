/** What the grid shows, without how it looks. */
import { type TaskState, worst } from "~/lib/states";
import { between } from "~/lib/time";

export interface GridRow {
  node_id: string;
  label: string;
  parent_id: string | null;
  is_group: boolean;
  is_mapped: boolean;
}

export interface GridRun {
  run_id: string;
  states: Partial<Record<string, number[]>>;
  mixed: Partial<Record<string, Partial<Record<string, number>>>>;
}

export interface Row {
  row: GridRow;
  number: number;
  depth: number;
}

/** The rows that are not within a folded group. */
export function visibleRows(rows: GridRow[], folded: ReadonlySet<string>): Row[] {
  const depthOf = new Map<string, number>();
  const hidden = new Set<string>();
  const shown: Row[] = [];
  rows.forEach((row, number) => {
    const depth = row.parent_id === null ? 0 : (depthOf.get(row.parent_id) ?? 0) + 1;
    depthOf.set(row.node_id, depth);
    const isHidden = row.parent_id !== null && (hidden.has(row.parent_id) || folded.has(row.parent_id));
    if (isHidden && row.is_group) hidden.add(row.node_id);
    if (!isHidden) shown.push({ row, number, depth });
  });
  return shown;
}

/** The rows of tasks whose name has the text in it, within their groups, folded or not; without a text, as above. */
export function foundRows(rows: GridRow[], folded: ReadonlySet<string>, text: string): Row[] {
  const sought = text.trim().toLowerCase();
  if (sought === "") return visibleRows(rows, folded);
  const wanted = new Set<string>();
  // Members follow their group, so from the last row to the first each group knows whether one of its members is wanted.
  for (const { node_id, label, parent_id } of [...rows].reverse()) {
    if (`${node_id} ${label}`.toLowerCase().includes(sought)) wanted.add(node_id);
    if (parent_id !== null && wanted.has(node_id)) wanted.add(parent_id);
  }
  return visibleRows(rows, new Set()).filter(({ row }) => wanted.has(row.node_id));
}

/** By row: its state in the run. Of groups and of copies that differ, the one that asks most for attention. */
export function cellStates(rows: GridRow[], run: GridRun): (TaskState | undefined)[] {
  const cells = new Array<TaskState | undefined>(rows.length);
  for (const [state, numbers] of Object.entries(run.states)) {
    for (const number of numbers ?? []) cells[number] = state as TaskState;
  }
  for (const [number, counts] of Object.entries(run.mixed)) cells[Number(number)] = worst(Object.keys(counts ?? {}));
  return withGroups(rows, cells);
}

/** Members follow their group, so from the last row to the first each group knows those of its members. */
function withGroups(rows: GridRow[], cells: (TaskState | undefined)[]): (TaskState | undefined)[] {
  const within = new Map<string, TaskState[]>();
  for (let number = rows.length - 1; number >= 0; number -= 1) {
    const row = rows[number];
    if (row === undefined) continue;
    if (row.is_group) cells[number] = worst(within.get(row.node_id) ?? []);
    const state = cells[number];
    if (row.parent_id === null || state === undefined) continue;
    const siblings = within.get(row.parent_id) ?? [];
    siblings.push(state);
    within.set(row.parent_id, siblings);
  }
  return cells;
}

/** By task or group: its state, where the states of tasks are known by their names. */
export function groupStates(
  rows: GridRow[],
  own: ReadonlyMap<string, TaskState | undefined>,
): ReadonlyMap<string, TaskState> {
  const cells = withGroups(
    rows,
    rows.map(({ node_id }) => own.get(node_id)),
  );
  return new Map(
    rows.flatMap(({ node_id }, number) => {
      const state = cells[number];
      return state === undefined ? [] : [[node_id, state] as const];
    }),
  );
}

/** What was found out about runs before. */
export type Known = WeakMap<GridRun, { rows: GridRow[]; cells: (TaskState | undefined)[] }>;

/** Those of all runs. A run that has not changed since the last time is not looked at again. */
export function columnsOf(rows: GridRow[], runs: GridRun[], known: Known): (TaskState | undefined)[][] {
  return runs.map((run) => {
    const kept = known.get(run);
    if (kept?.rows === rows) return kept.cells;
    const cells = cellStates(rows, run);
    known.set(run, { rows, cells });
    return cells;
  });
}

export interface Place {
  /** -1: the heads of the runs. */
  row: number;
  column: number;
}

const steps: Partial<Record<string, (at: Place, last: Place) => Place>> = {
  ArrowUp: ({ row, column }) => ({ row: row - 1, column }),
  ArrowDown: ({ row, column }) => ({ row: row + 1, column }),
  ArrowLeft: ({ row, column }) => ({ row, column: column - 1 }),
  ArrowRight: ({ row, column }) => ({ row, column: column + 1 }),
  PageUp: ({ row, column }) => ({ row: row - 20, column }),
  PageDown: ({ row, column }) => ({ row: row + 20, column }),
  Home: ({ row }) => ({ row, column: 0 }),
  End: ({ row }, last) => ({ row, column: last.column }),
};

/** Where a key leads to from a cell; undefined where it leads nowhere. */
export function moved(key: string, at: Place, last: Place): Place | undefined {
  const next = steps[key]?.(at, last);
  if (next === undefined) return undefined;
  return {
    row: Math.min(Math.max(next.row, -1), last.row),
    column: Math.min(Math.max(next.column, 0), last.column),
  };
}

export interface Selected {
  run: string | undefined;
  task: string | undefined;
  /** In the place of a task: a group of them. */
  group?: string | undefined;
}

/** As wide as the longest name, within limits: what short names do not need, runs get. */
export function namesWidth(rows: GridRow[]): string {
  const longest = visibleRows(rows, new Set()).reduce((most, { row, depth }) => {
    return Math.max(most, row.label.length + 2 * depth);
  }, 0);
  return `clamp(8rem, ${longest + 4}ch, 16rem)`;
}

/** What is chosen with a cell; with the head of a run, the run alone. */
export function selectionOf(row: Row["row"] | undefined, run: string | undefined): Selected {
  return row?.is_group === true ? { run, task: undefined, group: row.node_id } : { run, task: row?.node_id };
}

/** Where the chosen run and task are; the heads of the runs where no task is chosen, the newest run where none is. */
export function placeOf(chosen: Selected, rows: Row[], runs: { run_id: string }[]): Place {
  const column = runs.findIndex(({ run_id }) => run_id === chosen.run);
  return {
    row: rows.findIndex(({ row }) => row.node_id === (chosen.task ?? chosen.group)),
    column: column < 0 ? runs.length - 1 : column,
  };
}

interface Lasting {
  start_date: string | null;
  end_date: string | null;
}

/** How high the bar of each run is, in percent of the highest; one that has not begun has none. */
export function barHeights(runs: Lasting[], now: number): number[] {
  const seconds = runs.map(({ start_date, end_date }) => between(start_date, end_date, now) ?? 0);
  const longest = Math.max(...seconds, 1e-9);
  return seconds.map((each) => Math.round(lowestBar + ((100 - lowestBar) * each) / longest));
}

const lowestBar = 10;

/** Where the version is another one than that of the run before. */
export function versionChanges(runs: { version: number }[]): boolean[] {
  return runs.map(({ version }, column) => column > 0 && runs[column - 1]?.version !== version);
}
