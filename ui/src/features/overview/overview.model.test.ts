import { expect, test } from "vitest";

import { dayBars, daysUntil, durationBars, failuresByTask, type RunInChart, summaryOf } from "./overview.model";

const run = (id: string, state: string, seconds: number | undefined): RunInChart => ({
  run_id: id,
  state,
  run_after: "2026-01-31T00:00:00Z",
  start_date: seconds === undefined ? null : "2026-01-31T00:00:00Z",
  end_date:
    seconds === undefined || state === "running" ? null : new Date(Date.UTC(2026, 0, 31, 0, 0, seconds)).toISOString(),
});

test("each run is a bar as high as it took", () => {
  const now = Date.UTC(2026, 0, 31, 0, 1, 30);
  const bars = durationBars(
    [run("a", "success", 20), run("b", "running", 0), run("c", "queued", undefined)],
    now,
    (at) => at.slice(0, 10),
  );

  expect(bars.map(({ label }) => label)).toEqual([
    "a: success, took 20s",
    "b: running, since 1m 30s",
    "c: queued, has not begun",
  ]);
  expect(bars.map(({ parts }) => parts[0]?.value)).toEqual([20, 90, 0]);
  expect(bars.map(({ mark }) => mark)).toEqual(["2026-01-31", undefined, undefined]);
});

test("what is usual is said of those that ended well", () => {
  const runs = [run("a", "success", 10), run("b", "failed", 1), run("c", "success", 30), run("d", "running", 0)];

  expect(summaryOf(runs)).toEqual({ ended: 3, failed: 1, usual: 10 });
  expect(summaryOf([])).toEqual({ ended: 0, failed: 0, usual: undefined });
});

test("days without runs are there too, over the end of a month", () => {
  expect(daysUntil("2026-03-01", 3)).toEqual(["2026-02-27", "2026-02-28", "2026-03-01"]);
  const bars = dayBars(["2026-02-28", "2026-03-01"], { "2026-03-01": { failed: 1, success: 2 } });

  expect(bars.map(({ label }) => label)).toEqual(["2026-02-28: no runs", "2026-03-01: 2 success, 1 failed"]);
  expect(bars[1]?.parts.map(({ state }) => state)).toEqual(["success", "failed"]);
});

test("the task that fails most comes first", () => {
  const failed = ["load", "tell", "load", "ask", "load", "tell"].map((id) => ({
    task_id: id,
    task_display_name: id.toUpperCase(),
    dag_run_id: "r",
  }));

  expect(failuresByTask(failed, 2)).toEqual([
    { taskId: "load", name: "LOAD", number: 3, share: 100 },
    { taskId: "tell", name: "TELL", number: 2, share: 67 },
  ]);
});
