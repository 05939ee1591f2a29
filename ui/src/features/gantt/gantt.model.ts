/** A run in time: what each attempt did, from when to when. */

export interface Attempt {
  task_id: string;
  map_index: number;
  attempt: number;
  try_number: number;
  state: string;
  scheduled_at: string | null;
  queued_at: string | null;
  started_at: string | null;
  finished_at: string | null;
  waited_since: string | null;
}

/** Milliseconds since 1970, in the colour of a state. */
export interface Segment {
  state: string;
  from: number;
  to: number;
}

export interface Try {
  number: number;
  state: string;
  segments: Segment[];
}

export interface Line {
  id: string;
  taskId: string;
  mapIndex: number;
  label: string;
  tries: Try[];
}

/** States in which an instance waits for its next attempt, or goes on waiting in this one. */
const waiting = new Set(["up_for_retry", "up_for_reschedule", "deferred", "awaiting_input"]);
const unfinished = new Set(["scheduled", "queued", "running", "restarting", ...waiting]);

const at = (text: string | null): number | undefined => (text === null ? undefined : Date.parse(text));

/** What an attempt did; `next`: when the following one was scheduled, where there is one. */
export function segments(attempt: Attempt, next: number | undefined, now: number): Segment[] {
  const [scheduled, queued, started, ended, left] = [
    attempt.scheduled_at,
    attempt.queued_at,
    attempt.started_at,
    attempt.finished_at,
    attempt.waited_since,
  ].map(at);
  const until = ended ?? (unfinished.has(attempt.state) ? now : (next ?? started ?? now));
  const found =
    left === undefined ? plain(attempt.state, scheduled, queued, started, until) : returning(attempt, left, until);
  if (ended !== undefined && attempt.state === "up_for_retry")
    found.push({ state: "up_for_retry", from: ended, to: now });
  if (ended !== undefined && next !== undefined && next > ended && attempt.state === "failed") {
    found.push({ state: "up_for_retry", from: ended, to: next });
  }
  return found.filter(({ from, to }) => to > from || to === until);
}

function plain(
  state: string,
  scheduled: number | undefined,
  queued: number | undefined,
  started: number | undefined,
  until: number,
): Segment[] {
  const found: Segment[] = [];
  if (scheduled !== undefined) found.push({ state: "scheduled", from: scheduled, to: queued ?? started ?? until });
  if (queued !== undefined) found.push({ state: "queued", from: queued, to: started ?? until });
  // Between two looks of a sensor it waits: of these, only the first beginning is known.
  const kind = state === "up_for_reschedule" ? state : "running";
  if (started !== undefined) found.push({ state: kind, from: started, to: until });
  return found;
}

/** It ran, left its worker to wait, and perhaps came back: then what is scheduled and queued is its return. When it ran
 * again is not known: the time in the queue counts as such. */
function returning(attempt: Attempt, left: number, until: number): Segment[] {
  const back = at(attempt.scheduled_at) ?? 0;
  const begun = at(attempt.started_at);
  const queued = at(attempt.queued_at) ?? 0;
  const kind = attempt.state === "awaiting_input" ? "awaiting_input" : "deferred";
  const found: Segment[] = [
    begun === undefined ? { state: "scheduled", from: back, to: left } : { state: "running", from: begun, to: left },
  ];
  if (back <= left) return [...found, { state: kind, from: left, to: until }];
  found.push({ state: kind, from: left, to: back });
  found.push({ state: "scheduled", from: back, to: queued > back ? queued : until });
  if (queued > back) found.push({ state: attempt.state === "queued" ? "queued" : "running", from: queued, to: until });
  return found;
}

/** A line for each instance, in the order of the tasks of the DAG; those that have not begun have an empty one. */
export function lines(attempts: Attempt[], order: string[], now: number): Line[] {
  const place = new Map(order.map((id, number) => [id, number]));
  const found = new Map<string, Attempt[]>();
  for (const attempt of attempts) {
    const id = `${attempt.task_id} ${attempt.map_index}`;
    found.set(id, [...(found.get(id) ?? []), attempt]);
  }
  return [...found]
    .map(([id, tries]) => line(id, tries, now))
    .sort(
      (one, other) =>
        (place.get(one.taskId) ?? Infinity) - (place.get(other.taskId) ?? Infinity) || one.mapIndex - other.mapIndex,
    );
}

function line(id: string, attempts: Attempt[], now: number): Line {
  const [{ task_id: taskId, map_index: mapIndex }] = attempts as [Attempt];
  const tries = attempts.map((attempt, number) => ({
    number: attempt.try_number,
    state: attempt.state,
    segments: segments(attempt, at(attempts[number + 1]?.scheduled_at ?? null), now),
  }));
  return {
    id,
    taskId,
    mapIndex,
    label: mapIndex < 0 ? taskId : `${taskId} [${mapIndex}]`,
    tries: tries.filter((each) => each.segments.length > 0),
  };
}

export interface Extent {
  from: number;
  to: number;
}

/** From when to when there is something to be seen: all lines, and the run itself. */
export function extent(all: Line[], run: { start: string | null; end: string | null }, now: number): Extent {
  let from = at(run.start) ?? Infinity;
  let to = at(run.end) ?? -Infinity;
  for (const each of all.flatMap(({ tries }) => tries.flatMap((one) => one.segments))) {
    from = Math.min(from, each.from);
    to = Math.max(to, each.to);
  }
  if (from === Infinity) from = now;
  return { from, to: Math.max(to, from + 1000) };
}

const steps = [
  1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 14_400, 21_600, 43_200, 86_400, 172_800, 604_800,
];

/** Seconds after the beginning at which to draw lines: about so many, at numbers that people like. */
export function ticks({ from, to }: Extent, wanted: number): number[] {
  const seconds = (to - from) / 1000;
  const step = steps.find((each) => seconds / each <= wanted) ?? Math.ceil(seconds / wanted / 604_800) * 604_800;
  return Array.from({ length: Math.floor(seconds / step) + 1 }, (_, number) => number * step);
}

/** Where something is, in percent of the whole. */
export function share(moment: number, { from, to }: Extent): number {
  return Math.round(((moment - from) / (to - from)) * 100_000) / 1000;
}
