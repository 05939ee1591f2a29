import { expect, test } from "vitest";

import type { Schemas } from "./client";
import { GridChanges, withChanges } from "./gridChanges";

type Grid = Schemas["GridResponse"];
type Known = { layout: number; changed: string[] } | undefined;

const key = ["grid", "sales", 30];
const run = (run_id: string, state: "running" | "success" = "running"): Grid["runs"][number] => ({
  run_id,
  run_type: "manual",
  state,
  run_after: "2026-01-01T00:00:00Z",
  start_date: null,
  end_date: null,
  version: 1,
  states: { [state]: [0] },
  mixed: {},
});
const row = { node_id: "a", label: "a", parent_id: null, is_group: false, is_mapped: false, operator: null };
const pages = { has_newer: false, newer: null, older: null };
const grid = (...runs: Grid["runs"]): Grid => ({
  ...pages,
  layout: 7,
  is_whole: true,
  rows: [row],
  run_ids: runs.map(({ run_id }) => run_id),
  runs,
});
const part = (run_ids: string[], ...runs: Grid["runs"]): Grid => ({
  ...pages,
  layout: 7,
  is_whole: false,
  rows: [],
  run_ids,
  runs,
});
const changed = (run_id: string) => ({ kind: "task_instance", dag_id: "sales", run_id, task_id: "a" });

/** Loads, and tells what was asked for. */
async function loaded(changes: GridChanges, kept: Grid | undefined, answer: Grid, isCancelled = false) {
  const asked: Known[] = [];
  await changes.load(
    key,
    kept,
    (known) => {
      asked.push(known);
      return Promise.resolve(answer);
    },
    () => isCancelled,
  );
  return asked;
}

test("what did not change is kept as it is, so that it is not drawn again", () => {
  const kept = grid(run("r1"), run("r2"));

  const merged = withChanges(kept, part(["r1", "r2"], run("r2", "success")));

  expect(merged?.runs[0]).toBe(kept.runs[0]);
  expect(merged?.runs[1]?.state).toBe("success");
  expect(merged?.rows).toBe(kept.rows);
});

test("where older runs are is told anew with every change", () => {
  const merged = withChanges(grid(run("r1"), run("r2")), { ...part(["r2"], run("r2")), older: "later~2" });

  expect([merged?.run_ids, merged?.older]).toEqual([["r2"], "later~2"]);
});

test("runs come and go", () => {
  const kept = grid(run("r1"), run("r2"));

  expect(withChanges(kept, part(["r2", "r3"], run("r3")))?.run_ids).toEqual(["r2", "r3"]);
  expect(withChanges(kept, part(["r2"]))?.runs.map(({ run_id }) => run_id)).toEqual(["r2"]);
  expect(withChanges(kept, part(["r0", "r2"])), "a run that nobody told of").toBeUndefined();
});

test("other rows take the place of all", () => {
  const other = { ...grid(run("r9")), layout: 8 };

  expect(withChanges(grid(run("r1")), other)).toBe(other);
});

test("only the runs that changed are asked for, each once", async () => {
  const changes = new GridChanges();
  changes.note([key], [changed("r1"), changed("r2"), changed("r1"), { ...changed("r8"), dag_id: "other" }]);

  expect(await loaded(changes, grid(run("r1"), run("r2")), part(["r1", "r2"]))).toEqual([
    { layout: 7, changed: ["r1", "r2"] },
  ]);
  expect(await loaded(changes, grid(run("r1")), grid(run("r1"))), "for another reason").toEqual([undefined]);
});

test.each([
  ["of the DAG", [{ kind: "dag", dag_id: "sales" }]],
  ["that was missed", null],
  ["of very many runs", Array.from({ length: 21 }, (_, number) => changed(`r${number}`))],
])("a change %s loads everything, also if it is followed by a small one", async (_, first) => {
  const changes = new GridChanges();
  changes.note([key], first);
  changes.note([key], [changed("r1")]);

  expect(await loaded(changes, grid(run("r1")), grid(run("r1")))).toEqual([undefined]);
});

test("a run that slid into sight makes it load everything", async () => {
  const changes = new GridChanges();
  changes.note([key], [changed("r1")]);

  const asked = await loaded(changes, grid(run("r1")), part(["r0", "r1"], run("r1")));

  expect(asked).toEqual([{ layout: 7, changed: ["r1"] }, undefined]);
});

test("what was cancelled is asked for again, with what came meanwhile", async () => {
  const changes = new GridChanges();
  changes.note([key], [changed("r1")]);
  await loaded(changes, grid(run("r1")), part(["r1"]), true);
  changes.note([key], [changed("r2")]);

  const asked = await loaded(changes, grid(run("r1")), part(["r1"]));

  expect(asked).toEqual([{ layout: 7, changed: ["r1", "r2"] }]);
});

test("a change that comes while everything is loaded does not make less of it", async () => {
  const changes = new GridChanges();
  const kept = grid(run("r1"));

  await changes.load(
    key,
    kept,
    () => {
      changes.note([key], [changed("r1")]);
      return Promise.resolve(kept);
    },
    () => true,
  );

  expect(await loaded(changes, kept, kept)).toEqual([undefined]);
});

test("a change that comes while everything is loaded is asked for by itself after that", async () => {
  const changes = new GridChanges();
  const kept = grid(run("r1"));

  await changes.load(
    key,
    undefined,
    () => {
      changes.note([key], [changed("r1")]);
      return Promise.resolve(kept);
    },
    () => false,
  );

  expect(await loaded(changes, kept, part(["r1"], run("r1")))).toEqual([{ layout: 7, changed: ["r1"] }]);
});
