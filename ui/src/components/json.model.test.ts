import { expect, test } from "vitest";

import { childrenOf, isLong, pretty, summaryOf, written } from "./json.model";

test("lists and objects have children, and not more than can be drawn", () => {
  expect(childrenOf([1, 2])?.shown).toEqual([
    ["0", 1],
    ["1", 2],
  ]);
  expect(childrenOf({ a: null })?.shown).toEqual([["a", null]]);
  expect(childrenOf("text")).toBeUndefined();
  expect(childrenOf(Array.from({ length: 700 }, () => 0))?.more).toBe(200);
});

test("what is folded says how much it is", () => {
  expect(summaryOf([1])).toBe("[1 value]");
  expect(summaryOf([1, 2])).toBe("[2 values]");
  expect(summaryOf({ a: 1 })).toBe("{1 field}");
});

test("values are written as they are read best", () => {
  expect(written("plain")).toBe("plain");
  expect(written("")).toBe('""');
  expect(written(null)).toBe("null");
  expect(isLong("a\nb")).toBe(true);
  expect(pretty({ a: 1 })).toBe('{\n  "a": 1\n}');
});
