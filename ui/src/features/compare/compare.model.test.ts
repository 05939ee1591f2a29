import { expect, test } from "vitest";

import { compared, longest, sorted, type Summary, values } from "./compare.model";

const start = Date.UTC(2026, 0, 1);
const summary = (task_id: string, seconds: number | null, states: Record<string, number>): Summary => ({
  task_id,
  states,
  start_date: new Date(start).toISOString(),
  end_date: seconds === null ? null : new Date(start + seconds * 1000).toISOString(),
  try_number: 1,
});

const left = [summary("load", 10, { success: 1 }), summary("gone", 1, { success: 1 })];
const right = [
  summary("load", 25, { success: 3, failed: 1 }),
  summary("new", null, { running: 1 }),
  summary("never", null, { none: 1 }),
];

test("tasks of both runs are in the order of the DAG", () => {
  const all = compared(left, right, ["new", "load"], start + 60_000);

  expect(all.map(({ taskId }) => taskId)).toEqual(["new", "load", "gone", "never"]);
  expect(all[1]).toMatchObject({
    difference: 15,
    isChanged: true,
    left: { copies: 1 },
    right: { state: "failed", copies: 4 },
  });
  expect(all[0]).toMatchObject({ left: undefined, difference: undefined, right: { seconds: 60 } });
  expect(all[3]?.right?.seconds).toBeUndefined();
  expect(longest(all)).toBe(60);
});

test("what became slower comes first", () => {
  const all = compared(
    [summary("a", 1, { success: 1 }), summary("b", 9, { success: 1 }), summary("c", 1, { success: 1 })],
    [summary("a", 2, { success: 1 }), summary("b", 1, { success: 1 }), summary("c", 8, { success: 1 })],
    ["a", "b", "c"],
    start,
  );

  expect(sorted(all, "difference").map(({ taskId }) => taskId)).toEqual(["c", "a", "b"]);
  expect(sorted(all, "dag")).toBe(all);
});

test("values of both configurations are named", () => {
  expect(values({ b: 1, a: [1] }, { b: 2 })).toEqual([
    { name: "a", left: "[1]", right: "" },
    { name: "b", left: "1", right: "2" },
  ]);
  expect(values(null, {})).toEqual([]);
});
