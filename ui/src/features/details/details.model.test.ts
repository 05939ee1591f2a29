import { expect, test } from "vitest";

import { isoSeconds, limits, paramsOf } from "./details.model";

test("params have a type, a default and a description", () => {
  const params = {
    day: { value: "2026-01-01", description: "Which", schema: { type: ["string", "null"], format: "date" } },
    size: { value: 3, description: null, schema: { type: "integer", description: "How many" } },
    plain: 7,
  };

  expect(paramsOf(params)).toEqual([
    { name: "day", type: "string or nothing (date)", value: '"2026-01-01"', description: "Which" },
    { name: "size", type: "integer", value: "3", description: "How many" },
    { name: "plain", type: "", value: "7", description: "" },
  ]);
  expect(paramsOf(null)).toEqual([]);
});

test("limits are said in words", () => {
  const dag = {
    max_active_tasks: 16,
    max_active_runs: null,
    max_consecutive_failed_dag_runs: 0,
    has_task_concurrency_limits: false,
    allowed_run_types: ["asset_triggered"],
  };

  expect(Object.fromEntries(limits(dag))).toMatchObject({
    "Runs at once": "no limit",
    "Paused after failures in a row": "never",
    "Kinds of runs": "asset triggered",
  });
});

test("durations of ISO 8601 are seconds", () => {
  expect(isoSeconds("P1DT2H3M4.5S")).toBe(93_784.5);
  expect(isoSeconds("PT90S")).toBe(90);
  expect(isoSeconds(5)).toBe(5);
  expect(isoSeconds("soon")).toBeUndefined();
});
