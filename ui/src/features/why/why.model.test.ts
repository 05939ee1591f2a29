import { expect, test } from "vitest";

import { others, untilOf, waysFrom } from "./why.model";

test("a reason leads to what stands in the way", () => {
  expect(waysFrom({ code: "dag_paused", text: "" })).toEqual([{ kind: "unpause" }]);
  expect(waysFrom({ code: "pool_full", text: "", details: { pool: "slow" } })).toEqual([
    { kind: "pool", name: "slow" },
  ]);
  expect(waysFrom({ code: "dependencies_wait", text: "", details: { unfinished_upstream: ["a", "b"] } })).toEqual([
    { kind: "task", taskId: "a" },
    { kind: "task", taskId: "b" },
  ]);
  expect(waysFrom({ code: "max_active_runs", text: "" })).toEqual([{ kind: "runs" }]);
  expect(waysFrom({ code: "something_new", text: "" })).toEqual([]);
});

test("what the summary says is not said twice", () => {
  const reasons = [
    { code: "dag_paused", text: "the DAG is paused" },
    { code: "not_due", text: "the next run is due at noon", details: { until: "2026-01-01T12:00:00Z" } },
  ];

  expect(others("The DAG is paused, and 1 more.", reasons).map(({ code }) => code)).toEqual(["not_due"]);
  expect(reasons.map(untilOf)).toEqual([undefined, "2026-01-01T12:00:00Z"]);
});
