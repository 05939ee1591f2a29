import { expect, test } from "vitest";

import { heights } from "./bars.model";

const run = (seconds: number | null) => ({
  run_id: String(seconds),
  state: "success",
  start_date: seconds === null ? null : "2026-01-01T00:00:00Z",
  end_date: seconds === null ? null : new Date(Date.parse("2026-01-01T00:00:00Z") + seconds * 1000).toISOString(),
});

test("the longest run is the highest bar, and the shortest can be seen", () => {
  expect(heights([run(10), run(5), run(0), run(null)], 0)).toEqual([100, 59, 18, 18]);
  expect(heights([], 0)).toEqual([]);
});
