import { expect, test } from "vitest";

import { exported, imported } from "./variables.model";

const variable = (key: string, value: string | null, description: string | null = null) => ({
  key,
  value,
  description,
});

test("what is written comes back", () => {
  const all = [variable("a", "1"), variable("b", '{"x": [1]}'), variable("c", "{no json", "why"), variable("d", "")];

  const { text, leftOut } = exported(all);

  expect(leftOut).toEqual([]);
  expect(imported(text)).toEqual([
    { key: "a", value: "1" },
    { key: "b", value: '{"x":[1]}' },
    { key: "c", value: "{no json", description: "why" },
    { key: "d", value: "" },
  ]);
});

test("secrets are left out, and named", () => {
  expect(exported([variable("password", "***"), variable("lost", null)])).toEqual({
    text: "{}",
    leftOut: ["password", "lost"],
  });
});

test("files of Airflow are read", () => {
  expect(imported('{"a": 3, "b": {"value": {"k": 1}, "description": "d"}, "c": {"value": 1, "other": 2}}')).toEqual([
    { key: "a", value: "3" },
    { key: "b", value: '{"k":1}', description: "d" },
    { key: "c", value: '{"value":1,"other":2}' },
  ]);
});

test.each(["{", "[1]", "3", "null"])("%j is refused in words", (text) => {
  expect(() => imported(text)).toThrow(/no JSON|is an object/);
});
