import { expect, test } from "vitest";

import { described, segments } from "./pool.model";

const pool = {
  slots: 8,
  running_slots: 2,
  queued_slots: 1,
  scheduled_slots: 0,
  deferred_slots: 3,
  include_deferred: false,
};

test("what is taken and what is free fill the bar", () => {
  expect(segments(pool)).toEqual([
    { state: "running", slots: 2, percent: 25 },
    { state: "queued", slots: 1, percent: 12.5 },
    { state: "open", slots: 5, percent: 62.5 },
  ]);
  expect(segments({ ...pool, include_deferred: true }).map(({ state }) => state)).toContain("deferred");
});

test("what waits makes the bar longer", () => {
  const full = { ...pool, running_slots: 8, queued_slots: 0, scheduled_slots: 8 };

  expect(segments(full)).toEqual([
    { state: "running", slots: 8, percent: 50 },
    { state: "scheduled", slots: 8, percent: 50 },
  ]);
});

test("a pool without a limit has nothing free, and one of no slots has no bar", () => {
  expect(segments({ ...pool, slots: -1 }).map(({ state }) => state)).toEqual(["running", "queued"]);
  expect(segments({ ...pool, slots: 0, running_slots: 0, queued_slots: 0 })).toEqual([]);
});

test("it is told in words", () => {
  expect(described(pool)).toBe("8 slots, 2 running, 1 queued, 5 free");
  expect(described({ ...pool, slots: -1, scheduled_slots: 4 })).toBe("no limit, 2 running, 1 queued, 4 waiting");
});
