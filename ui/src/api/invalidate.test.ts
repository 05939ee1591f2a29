import { expect, test } from "vitest";

import { concerns, isPatient } from "./invalidate";

const task = { kind: "task_instance", dag_id: "sales", run_id: "r1", task_id: "load", state: "running" };

test("a change of a task concerns what shows it, and nothing else", () => {
  expect(concerns(["grid", "sales", 30], [task])).toBe(true);
  expect(concerns(["task", "sales", "r1", "load", -1, "log", 1], [task])).toBe(true);
  expect(concerns(["run", "sales", "r1", "why"], [task])).toBe(true);
  expect(concerns(["grid", "stock", 30], [task])).toBe(false);
  expect(concerns(["task", "sales", "r2", "load", -1], [task])).toBe(false);
  expect(concerns(["dags", {}], [task])).toBe(false);
});

test("a change of many, which has no ids, concerns all that shows such things", () => {
  expect(concerns(["grid", "stock", 30], [{ kind: "dag_run" }])).toBe(true);
  expect(concerns(["latest-runs", ["stock"]], [{ kind: "dag_run" }])).toBe(true);
});

test("what shows everything there is waits a moment", () => {
  expect(isPatient(["pools", 0])).toBe(true);
  expect(isPatient(["grid", "sales", 30])).toBe(false);
  expect(isPatient(["unheard of"])).toBe(false);
});

test("an update of an asset concerns assets, what waits for them, and the events of every DAG", () => {
  const updated = { kind: "asset", state: "updated" };

  expect(concerns(["assets", 7], [updated])).toBe(true);
  expect(concerns(["slots", "~", "waiting"], [updated])).toBe(true);
  expect(concerns(["asset-events", "sales", "queued"], [updated])).toBe(true);
  expect(concerns(["grid", "sales", 30], [updated])).toBe(false);
  // Thousands may come in a minute.
  for (const name of ["assets", "slots", "asset-events"]) expect(isPatient([name])).toBe(true);
});

test("a tick that begins to wait is told as a change of its DAG", () => {
  expect(concerns(["slots", "~", "waiting"], [{ kind: "dag", dag_id: "sales", state: "waiting" }])).toBe(true);
});
