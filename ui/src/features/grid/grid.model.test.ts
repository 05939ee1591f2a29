import { expect, test } from "vitest";

import {
  barHeights,
  cellStates,
  columnsOf,
  foundRows,
  type GridRow,
  groupStates,
  type Known,
  moved,
  namesWidth,
  placeOf,
  selectionOf,
  versionChanges,
  visibleRows,
} from "./grid.model";

const row = (node_id: string, parent_id: string | null = null, is_group = false): GridRow => ({
  node_id,
  label: node_id,
  parent_id,
  is_group,
  is_mapped: false,
});

const rows = [row("a"), row("g", null, true), row("g.h", "g", true), row("g.h.b", "g.h"), row("g.c", "g"), row("d")];

test("a folded group hides all that is in it", () => {
  const names = (folded: string[]) =>
    visibleRows(rows, new Set(folded)).map(({ row: { node_id }, depth }) => `${depth}${node_id}`);

  expect(names([])).toEqual(["0a", "0g", "1g.h", "2g.h.b", "1g.c", "0d"]);
  expect(names(["g.h"])).toEqual(["0a", "0g", "1g.h", "1g.c", "0d"]);
  expect(names(["g"])).toEqual(["0a", "0g", "0d"]);
});

test("tasks are found by a part of their name, in groups that are folded as well (A8)", () => {
  const names = (text: string) => foundRows(rows, new Set(["g"]), text).map(({ row: { node_id } }) => node_id);

  expect(names(" ")).toEqual(["a", "g", "d"]);
  expect(names("H.B")).toEqual(["g", "g.h", "g.h.b"]);
  expect(names("x")).toEqual([]);
});

test("names get as much room as the longest of them needs, with its depth", () => {
  expect(namesWidth(rows)).toBe("clamp(8rem, 13ch, 16rem)");
});

test("a cell chooses a task or a group, the head of a run the run alone", () => {
  expect(selectionOf(rows[0], "r1")).toEqual({ run: "r1", task: "a" });
  expect(selectionOf(rows[1], "r1")).toEqual({ run: "r1", task: undefined, group: "g" });
  expect(selectionOf(undefined, "r1")).toEqual({ run: "r1", task: undefined });
});

test("what is chosen has a place, and else the head of the newest run has", () => {
  const visible = visibleRows(rows, new Set());
  const runs = [{ run_id: "r1" }, { run_id: "r2" }];

  expect(placeOf({ run: "r1", task: "g.c" }, visible, runs)).toEqual({ row: 4, column: 0 });
  expect(placeOf({ run: "r2", task: undefined, group: "g" }, visible, runs)).toEqual({ row: 1, column: 1 });
  expect(placeOf({ run: undefined, task: undefined }, visible, runs)).toEqual({ row: -1, column: 1 });
});

test("groups and mixed copies show what asks most for attention", () => {
  const run = {
    run_id: "r1",
    states: { success: [0, 4], running: [5] },
    mixed: { "3": { success: 7, failed: 1 } },
  };

  expect(cellStates(rows, run)).toEqual(["success", "failed", "failed", "failed", "success", "running"]);
});

test("a task that a run does not have has no state there", () => {
  expect(cellStates([row("a"), row("b")], { run_id: "r", states: { success: [1] }, mixed: {} })).toEqual([
    undefined,
    "success",
  ]);
});

test("a run that has not changed is not looked at again", () => {
  const known: Known = new WeakMap();
  const run = { run_id: "r1", states: { success: [0] }, mixed: {} };
  const [first] = columnsOf(rows, [run], known);

  const again = columnsOf(rows, [run, { ...run, run_id: "r2" }], known);

  expect(again[0]).toBe(first);
  expect(again[1]).not.toBe(first);
  expect(columnsOf([...rows], [run], known)[0]).not.toBe(first);
});

test("keys lead from cell to cell and never out of the grid", () => {
  const last = { row: 30, column: 9 };

  expect(moved("ArrowDown", { row: -1, column: 2 }, last)).toEqual({ row: 0, column: 2 });
  expect(moved("ArrowUp", { row: -1, column: 2 }, last)).toEqual({ row: -1, column: 2 });
  expect(moved("PageDown", { row: 25, column: 2 }, last)).toEqual({ row: 30, column: 2 });
  expect(moved("End", { row: 3, column: 2 }, last)).toEqual({ row: 3, column: 9 });
  expect(moved("ArrowRight", { row: 3, column: 9 }, last)).toEqual({ row: 3, column: 9 });
  expect(moved("x", { row: 3, column: 9 }, last)).toBeUndefined();
});

test("bars are as high as runs are long, and the shortest can be seen", () => {
  const lasting = (seconds: number | null) => ({
    start_date: seconds === null ? null : "2026-01-01T00:00:00Z",
    end_date: seconds === null ? null : new Date(Date.UTC(2026, 0, 1) + seconds * 1000).toISOString(),
  });

  expect(barHeights([lasting(10), lasting(5), lasting(0), lasting(null)], 0)).toEqual([100, 55, 10, 10]);
  expect(barHeights([], 0)).toEqual([]);
});

test("a version is marked where it begins", () => {
  expect(versionChanges([{ version: 1 }, { version: 1 }, { version: 2 }])).toEqual([false, false, true]);
});

test("states of groups follow from those of their tasks", () => {
  const states = groupStates(
    rows,
    new Map([
      ["g.h.b", "failed"],
      ["a", "success"],
    ]),
  );

  expect(Object.fromEntries(states)).toEqual({ a: "success", g: "failed", "g.h": "failed", "g.h.b": "failed" });
});
