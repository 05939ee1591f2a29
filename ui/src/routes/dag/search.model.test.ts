import { expect, test } from "vitest";

import { chosen, countRunFilters, dagSearch, gridParameters } from "./search.model";

test("what looks like a number is a text where texts are meant, and the other way round it is left out", () => {
  expect(dagSearch({ run: 17, task: "load", map: 3, when: 2026, version: "x" })).toEqual({
    run: "17",
    task: "load",
    map: 3,
    when: "2026",
  });
});

test("what no view knows is left out", () => {
  expect(dagSearch({ around: "sideways", evil: "<b>", left: null })).toEqual({});
  expect(dagSearch({ around: "both" })).toEqual({ around: "both" });
});

test("addresses say what of the grid and the graph is shown, and how (A8)", () => {
  const said = { q: 7, user: "vera", before: "x~3", depth: 2, operator: "Bash", group: "g", task_state: "failed" };
  const numbers = { took: 60, copy: 0 };

  expect(dagSearch({ ...said, ...numbers, direction: "up", outside: true })).toEqual({
    ...said,
    ...numbers,
    q: "7",
    direction: "up",
    outside: true,
  });
  expect(dagSearch({ direction: "sideways", outside: "maybe", depth: 1.5 })).toEqual({});
});

test("of runs, the server is asked for those that are wanted, and for nothing that there is not", () => {
  const between = { after: "2026-01-01T00:00:00Z" };

  expect(gridParameters({ state: "failed", type: "manual", user: "v", before: "p" }, 30, between)).toEqual({
    most: 30,
    state: "failed",
    run_type: "manual",
    triggered_by: "v",
    before: "p",
    run_after_gte: "2026-01-01T00:00:00Z",
  });
  expect(gridParameters({ state: "sad", type: "odd", user: "" }, 10, {})).toEqual({ most: 10 });
  expect(countRunFilters({ state: "failed", from: "2026-01-01", user: "", before: "p" })).toBe(2);
});

test("from view to view goes what is chosen", () => {
  expect(chosen({ run: "r", task_group: "g", num: 3 })).toEqual({ run: "r", task_group: "g" });
  expect(chosen({ run: "r", task: "t", map: 0, state: "failed", num: 3 })).toEqual({ run: "r", task: "t", map: 0 });
});
