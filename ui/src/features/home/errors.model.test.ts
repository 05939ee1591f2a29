import { expect, test } from "vitest";

import { reasonOf } from "./errors.model";

test("the reason is the last line of the trace, without the advice", () => {
  expect(reasonOf('Traceback\n  File "a.py"\nModuleNotFoundError: No module\nWhat to do: install it\n')).toBe(
    "ModuleNotFoundError: No module",
  );
  expect(reasonOf("")).toBe("");
});
