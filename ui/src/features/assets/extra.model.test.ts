import { expect, test } from "vitest";

import { parseExtra } from "./extra.model";

test("an object, or nothing", () => {
  expect(parseExtra('{"rows": 3}')).toEqual({ rows: 3 });
  expect(parseExtra(" ")).toEqual({});
});

test.each(["{", "[1]", "3", "null"])("%j is refused in words", (text) => {
  expect(() => parseExtra(text)).toThrow(/JSON/);
});
