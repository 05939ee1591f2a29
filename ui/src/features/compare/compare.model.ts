/** Two runs beside each other: which task took how long in which. */
import { type TaskState, worst } from "~/lib/states";
import { between } from "~/lib/time";

export interface Summary {
  task_id: string;
  states: Partial<Record<string, number>>;
  start_date: string | null;
  end_date: string | null;
  try_number: number;
}

export interface Side {
  state: TaskState | undefined;
  seconds: number | undefined;
  tries: number;
  copies: number;
}

export interface Compared {
  taskId: string;
  left: Side | undefined;
  right: Side | undefined;
  /** How much longer it took on the right, in seconds; undefined where one of them took no time. */
  difference: number | undefined;
  isChanged: boolean;
}

/** All tasks of both runs, in the order of the DAG; those that it does not have any more come last. */
export function compared(left: Summary[], right: Summary[], order: string[], now: number): Compared[] {
  const place = new Map(order.map((id, number) => [id, number]));
  const lefts = new Map(left.map((each) => [each.task_id, each]));
  const rights = new Map(right.map((each) => [each.task_id, each]));
  return [...new Set([...lefts.keys(), ...rights.keys()])]
    .sort((one, other) => (place.get(one) ?? Infinity) - (place.get(other) ?? Infinity) || (one < other ? -1 : 1))
    .map((taskId) => one(taskId, side(lefts.get(taskId), now), side(rights.get(taskId), now)));
}

function one(taskId: string, left: Side | undefined, right: Side | undefined): Compared {
  const isTimed = left?.seconds !== undefined && right?.seconds !== undefined;
  return {
    taskId,
    left,
    right,
    difference: isTimed ? (right.seconds ?? 0) - (left.seconds ?? 0) : undefined,
    isChanged: left?.state !== right?.state || left?.copies !== right?.copies,
  };
}

const going = ["running", "queued", "scheduled", "deferred", "up_for_retry"];

function side(summary: Summary | undefined, now: number): Side | undefined {
  if (summary === undefined) return undefined;
  const isGoingOn = going.some((state) => (summary.states[state] ?? 0) > 0);
  const isTimed = isGoingOn || summary.end_date !== null;
  return {
    state: worst(Object.keys(summary.states)),
    seconds: isTimed ? between(summary.start_date, isGoingOn ? null : summary.end_date, now) : undefined,
    tries: summary.try_number,
    copies: Object.values(summary.states).reduce<number>((sum, each) => sum + (each ?? 0), 0),
  };
}

export function longest(all: Compared[]): number {
  return Math.max(...all.flatMap(({ left, right }) => [left?.seconds ?? 0, right?.seconds ?? 0]), 1e-9);
}

export type Order = "dag" | "difference";

/** By how much they differ, the slower ones first. */
export function sorted(all: Compared[], by: Order): Compared[] {
  if (by === "dag") return all;
  return [...all].sort((one, other) => (other.difference ?? -Infinity) - (one.difference ?? -Infinity));
}

/** By name: the values of two configurations, as JSON; only those that one of them has. */
export function values(
  left: Record<string, unknown> | null,
  right: Record<string, unknown> | null,
): { name: string; left: string; right: string }[] {
  const names = [...new Set([...Object.keys(left ?? {}), ...Object.keys(right ?? {})])].sort();
  const written = (conf: Record<string, unknown> | null, name: string) =>
    conf !== null && name in conf ? JSON.stringify(conf[name]) : "";
  return names.map((name) => ({ name, left: written(left, name), right: written(right, name) }));
}
