/** The tasks of a DAG with what they did lately. */
import { between } from "~/lib/time";
import { type TaskState, worst } from "~/lib/states";

export interface Task {
  task_id: string;
  operator: string;
  rule: string;
  pool: string;
  retries: number;
  isMapped: boolean;
  /** In the newest runs, the newest last; undefined where a run does not have it. */
  states: (TaskState | undefined)[];
  /** Seconds in those runs. */
  durations: (number | undefined)[];
}

interface Known {
  task_id: string | null;
  operator_name: string | null;
  trigger_rule: string | null;
  pool: string | null;
  retries: number | null;
  is_mapped: boolean | null;
}

export interface Summary {
  task_id: string;
  states: Partial<Record<string, number>>;
  start_date: string | null;
  end_date: string | null;
}

export function tasksOf(known: Known[], runs: { tasks: Summary[] }[], now: number): Task[] {
  const byRun = runs.map(({ tasks }) => new Map(tasks.map((task) => [task.task_id, task])));
  return known.map((task) => {
    const id = task.task_id ?? "";
    const did = byRun.map((tasks) => tasks.get(id));
    return {
      task_id: id,
      operator: task.operator_name ?? "",
      rule: (task.trigger_rule ?? "").replaceAll("_", " "),
      pool: task.pool ?? "",
      retries: task.retries ?? 0,
      isMapped: task.is_mapped ?? false,
      states: did.map((each) => each && worst(Object.keys(each.states))),
      durations: did.map((each) => seconds(each, now)),
    };
  });
}

const going = ["running", "deferred", "queued", "scheduled", "up_for_retry"];

/** From the first start to the last end of all copies; until now while one of them goes on. */
export function seconds(summary: Summary | undefined, now: number): number | undefined {
  if (summary === undefined) return undefined;
  const isGoingOn = going.some((state) => (summary.states[state] ?? 0) > 0);
  if (!isGoingOn && summary.end_date === null) return undefined;
  return between(summary.start_date, isGoingOn ? null : summary.end_date, now);
}

/** Those whose name, operator or pool has the text in it. */
export function matching(tasks: Task[], text: string): Task[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return tasks;
  return tasks.filter(({ task_id, operator, pool }) =>
    [task_id, operator, pool].some((each) => each.toLowerCase().includes(wanted)),
  );
}

/** The usual one: half of them took longer. */
export function median(durations: (number | undefined)[]): number | undefined {
  const known = durations.filter((each) => each !== undefined).sort((one, other) => one - other);
  return known[Math.floor((known.length - 1) / 2)];
}

/** Points of a line in a box, as SVG wants them; runs in which it did not run are passed over. */
export function spark(durations: (number | undefined)[], width: number, height: number): string {
  const longest = Math.max(...durations.map((each) => each ?? 0), 1e-9);
  const step = width / Math.max(1, durations.length - 1);
  return durations
    .flatMap((each, number) =>
      each === undefined ? [] : [`${round(number * step)},${round(height - (each / longest) * height)}`],
    )
    .join(" ");
}

function round(number: number): number {
  return Math.round(number * 10) / 10;
}
