import { expect, test } from "vitest";

import {
  affected,
  clearDefaults,
  clearRunsBody,
  clearTasksBody,
  markBody,
  nameOf,
  nowhere,
  type Target,
  tasksByRun,
} from "./clear.model";

const tasks: Target = {
  kind: "tasks",
  dagId: "sales",
  runId: "r1",
  tasks: [
    { taskId: "load", mapIndex: undefined },
    { taskId: "ship", mapIndex: 3 },
  ],
};

test("tasks are cleared with what follows them", () => {
  expect(clearTasksBody(tasks, clearDefaults(tasks), true, "")).toEqual({
    dry_run: true,
    dag_run_id: "r1",
    task_ids: ["load", ["ship", 3]],
    include_upstream: false,
    include_downstream: true,
    include_past: false,
    include_future: false,
    only_failed: false,
    run_on_latest_version: false,
    prevent_running_task: false,
  });
});

test("of a group, all tasks are cleared with all their copies", () => {
  const group: Target = { kind: "group", dagId: "sales", runId: "r1", groupId: "g", taskIds: ["g.a", "g.b"] };

  const body = clearTasksBody(group, clearDefaults(group), true, "");

  expect(body).toMatchObject({ dag_run_id: "r1", task_ids: ["g.a", "g.b"], include_downstream: true });
  expect(nameOf(group)).toBe("group g");
});

test("tasks of several runs are taken run by run", () => {
  const several = tasksByRun("sales", [
    { runId: "r1", taskId: "load", mapIndex: -1 },
    { runId: "r2", taskId: "load", mapIndex: -1 },
    { runId: "r1", taskId: "ship", mapIndex: 3 },
  ]);

  expect(several.parts.map(({ runId, tasks: { length } }) => [runId, length])).toEqual([
    ["r1", 2],
    ["r2", 1],
  ]);
  expect(nameOf(several)).toBe("3 tasks of 2 runs");
  expect(nameOf(tasksByRun("sales", [{ runId: "r1", taskId: "load", mapIndex: -1 }]))).toBe("load");
});

test("runs are cleared as a whole", () => {
  const runs: Target = { kind: "runs", dagId: "sales", runIds: ["r1", "r2"] };
  const options = { ...clearDefaults(runs), onlyFailed: true, onLatestVersion: true };

  expect(clearRunsBody(runs, options, false, "again")).toEqual({
    dry_run: false,
    dag_runs: [{ dag_run_id: "r1" }, { dag_run_id: "r2" }],
    only_failed: true,
    only_new: false,
    run_on_latest_version: true,
    note: "again",
  });
});

test("a mark says how far it reaches", () => {
  expect(markBody("failed", { ...nowhere, future: true }, " ")).toEqual({
    new_state: "failed",
    include_upstream: false,
    include_downstream: false,
    include_past: false,
    include_future: true,
  });
});

test("what is meant has a name", () => {
  expect(nameOf(tasks)).toBe("2 tasks");
  expect(nameOf({ ...tasks, tasks: [{ taskId: "ship", mapIndex: 3 }] })).toBe("ship[3]");
  expect(nameOf({ ...tasks, tasks: [{ taskId: "ship", mapIndex: -1 }] })).toBe("ship");
  expect(nameOf({ kind: "runs", dagId: "sales", runIds: ["r1"] })).toBe("run r1");
});

test("what is affected is listed, also what is new", () => {
  const known = { task_id: "ship", map_index: 1, dag_run_id: "r1", state: "failed", rendered_map_index: "b" };
  const found = affected([known as never, { task_id: "more", task_display_name: "More" }]);

  expect(found.map(({ name, state }) => [name, state])).toEqual([
    ["ship[b]", "failed"],
    ["more (new)", undefined],
  ]);
});
