import { expect, test } from "vitest";

import { stateName, worst } from "./states";

test("the worst state stands for many", () => {
  expect(worst(["success", "failed", "running"])).toBe("failed");
  expect(worst(["success", "skipped"])).toBe("skipped");
  expect(worst([])).toBeUndefined();
  expect(worst(["unheard of"])).toBeUndefined();
});

test("states are called as people say them", () => {
  expect(stateName("up_for_retry")).toBe("up for retry");
  expect(stateName("success")).toBe("success");
  expect(stateName(null)).toBe("no status");
});
