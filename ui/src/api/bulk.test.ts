import { expect, test } from "vitest";

import { requireAll } from "./bulk";

test("what was refused is said once", () => {
  const refused = { errors: [{ error: "it runs" }, { error: "it runs" }, { error: "gone" }] };

  expect(() => {
    requireAll(refused);
  }).toThrow(new Error("it runs; gone"));
  requireAll({ errors: [] });
  requireAll(null);
});
