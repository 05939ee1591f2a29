import { expect, test } from "vitest";

import { matching, median, seconds, spark, tasksOf } from "./tasks.model";

const known = (task_id: string) => ({
  task_id,
  operator_name: "PythonOperator",
  trigger_rule: "all_success",
  pool: "default_pool",
  retries: 2,
  is_mapped: false,
});
const summary = (task_id: string, states: Record<string, number>, ended = true) => ({
  task_id,
  states,
  start_date: "2026-01-01T00:00:00Z",
  end_date: ended ? "2026-01-01T00:00:05Z" : null,
});
const now = Date.parse("2026-01-01T00:01:00Z");

test("tasks have the states and durations of the newest runs", () => {
  const runs = [
    { tasks: [summary("a", { success: 1 })] },
    { tasks: [summary("a", { success: 2, failed: 1 }), summary("b", { running: 1 }, false)] },
  ];

  const [a, b] = tasksOf([known("a"), known("b")], runs, now);

  expect(a).toMatchObject({ rule: "all success", states: ["success", "failed"], durations: [5, 5] });
  expect(b).toMatchObject({ states: [undefined, "running"], durations: [undefined, 60] });
});

test("what has not begun, or was skipped, took no time", () => {
  expect(seconds({ ...summary("a", { none: 1 }), start_date: null, end_date: null }, now)).toBeUndefined();
  expect(seconds(undefined, now)).toBeUndefined();
});

test("tasks are found by name, operator and pool", () => {
  const tasks = tasksOf([known("load"), known("check")], [], now);

  expect(matching(tasks, " LOA ").map(({ task_id }) => task_id)).toEqual(["load"]);
  expect(matching(tasks, "python")).toHaveLength(2);
  expect(matching(tasks, "nothing")).toEqual([]);
});

test("the usual duration is the one in the middle", () => {
  expect(median([3, undefined, 1, 100])).toBe(3);
  expect(median([])).toBeUndefined();
});

test("a line goes up with the duration", () => {
  expect(spark([1, undefined, 2], 20, 10)).toBe("0,5 20,0");
  expect(spark([], 20, 10)).toBe("");
});
