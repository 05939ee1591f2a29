import { expect, test } from "vitest";

import { type Attempt, extent, lines, segments, share, ticks } from "./gantt.model";

const start = Date.UTC(2026, 0, 1);
const second = (number: number) => start + number * 1000;
const text = (number: number | null) => (number === null ? null : new Date(second(number)).toISOString());

const attempt = (times: (number | null)[], given: Partial<Attempt> = {}): Attempt => ({
  task_id: "load",
  map_index: -1,
  attempt: 1,
  try_number: 1,
  state: "success",
  scheduled_at: text(times[0] ?? null),
  queued_at: text(times[1] ?? null),
  started_at: text(times[2] ?? null),
  finished_at: text(times[3] ?? null),
  waited_since: text(times[4] ?? null),
  ...given,
});

const told = (found: ReturnType<typeof segments>) =>
  found.map(({ state, from, to }) => `${state} ${(from - start) / 1000}-${(to - start) / 1000}`);

test("an attempt is scheduled, queued, and runs", () => {
  expect(told(segments(attempt([0, 1, 3, 8]), undefined, second(99)))).toEqual([
    "scheduled 0-1",
    "queued 1-3",
    "running 3-8",
  ]);
});

test("what has not ended goes on until now", () => {
  const now = second(20);

  expect(told(segments(attempt([0], { state: "scheduled" }), undefined, now))).toEqual(["scheduled 0-20"]);
  expect(told(segments(attempt([0, 5], { state: "queued" }), undefined, now))).toEqual([
    "scheduled 0-5",
    "queued 5-20",
  ]);
  expect(told(segments(attempt([0, 5, 7], { state: "running" }), undefined, now)).at(-1)).toBe("running 7-20");
});

test("between two tries it waits to be tried again", () => {
  expect(told(segments(attempt([0, 1, 2, 3], { state: "failed" }), second(9), second(99))).at(-1)).toBe(
    "up_for_retry 3-9",
  );
  expect(told(segments(attempt([0, 1, 2, 3], { state: "up_for_retry" }), undefined, second(30))).at(-1)).toBe(
    "up_for_retry 3-30",
  );
  expect(told(segments(attempt([0, 1, 2, 3], { state: "failed" }), undefined, second(99))).at(-1)).toBe("running 2-3");
});

test("a deferred task is told from when it left its worker", () => {
  const now = second(50);

  expect(told(segments(attempt([0, 1, 2, null, 6], { state: "deferred" }), undefined, now))).toEqual([
    "running 2-6",
    "deferred 6-50",
  ]);
  expect(told(segments(attempt([20, 21, 2, 30, 6]), undefined, now))).toEqual([
    "running 2-6",
    "deferred 6-20",
    "scheduled 20-21",
    "running 21-30",
  ]);
  expect(told(segments(attempt([0, 1, 2, 9, 6]), undefined, now))).toEqual(["running 2-6", "deferred 6-9"]);
  expect(told(segments(attempt([20, 21, 2, null, 6], { state: "queued" }), undefined, now)).at(-1)).toBe(
    "queued 21-50",
  );
});

test("a task that waits without a worker, and a sensor between two looks, are told as such", () => {
  const now = second(50);

  expect(told(segments(attempt([0, null, null, null, 4], { state: "deferred" }), undefined, now))).toEqual([
    "scheduled 0-4",
    "deferred 4-50",
  ]);
  expect(told(segments(attempt([0, 1, 2], { state: "up_for_reschedule" }), undefined, now)).at(-1)).toBe(
    "up_for_reschedule 2-50",
  );
});

test("instances are in the order of the DAG, and copies by number", () => {
  const found = lines(
    [
      attempt([0, 1, 2, 3], { task_id: "b", map_index: 1 }),
      attempt([0, 1, 2, 3], { task_id: "b", map_index: 0 }),
      attempt([0, 1, 2, 3], { task_id: "a", state: "failed" }),
      attempt([9, 9, 10, 11], { task_id: "a", attempt: 2, try_number: 2 }),
      attempt([], { task_id: "c", attempt: 0, state: "none" }),
    ],
    ["c", "a", "b"],
    second(99),
  );

  expect(found.map(({ label, tries }) => [label, tries.length])).toEqual([
    ["c", 0],
    ["a", 2],
    ["b [0]", 1],
    ["b [1]", 1],
  ]);
  const { from, to } = extent(found, { start: text(0), end: text(12) }, second(99));
  expect([from, to]).toEqual([second(0), second(12)]);
});

test("a run without anything has an extent too", () => {
  expect(extent([], { start: null, end: null }, second(5))).toEqual({ from: second(5), to: second(6) });
});

test("lines are drawn at round numbers", () => {
  expect(ticks({ from: 0, to: 60_000 }, 8)).toEqual([0, 10, 20, 30, 40, 50, 60]);
  expect(ticks({ from: 0, to: 1000 }, 8)).toEqual([0, 1]);
  expect(ticks({ from: 0, to: 100 * 604_800_000 }, 10).length).toBe(11);
  expect(share(25, { from: 0, to: 100 })).toBe(25);
});
