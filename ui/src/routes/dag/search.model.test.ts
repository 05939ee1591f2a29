import { expect, test } from "vitest";

import { chosen, dagSearch } from "./search.model";

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

test("from view to view goes what is chosen", () => {
  expect(chosen({ run: "r", task: "t", map: 0, state: "failed", num: 3 })).toEqual({ run: "r", task: "t", map: 0 });
});
