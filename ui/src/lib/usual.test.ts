import { expect, test } from "vitest";

import { usualSeconds } from "./usual";

const run = (state: string, seconds: number | null) => ({
  state,
  start_date: "2026-03-04T12:00:00Z",
  end_date: seconds === null ? null : new Date(Date.UTC(2026, 2, 4, 12, 0, seconds)).toISOString(),
});

test("what is usual is the middle of what ended well", () => {
  const runs = [run("success", 50), run("failed", 1), run("success", 10), run("running", null), run("success", 20)];

  expect(usualSeconds(runs)).toBe(20);
  expect(usualSeconds([run("failed", 1), run("running", null)])).toBeUndefined();
});
