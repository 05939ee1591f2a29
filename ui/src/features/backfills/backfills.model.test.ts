import { expect, test } from "vitest";

import { asked, nothingWanted, parts, type Progress, runName, standing, told } from "./backfills.model";

const wanted = { ...nothingWanted, from: "2026-01-01T00:00", to: "2026-01-03T00:00" };

test("times of the form are meant in the chosen zone", () => {
  expect(asked("sales", wanted, "Europe/Berlin")).toMatchObject({
    dag_id: "sales",
    from_date: "2025-12-31T23:00:00Z",
    to_date: "2026-01-02T23:00:00Z",
    max_active_runs: 10,
    reprocess_behavior: "none",
  });
});

test("what nobody chose is left to the server", () => {
  expect(asked("sales", wanted, "UTC")).not.toHaveProperty("dag_run_conf");
  expect(asked("sales", wanted, "UTC")).not.toHaveProperty("run_on_latest_version");
  expect(asked("sales", { ...wanted, conf: " \n" }, "UTC")).not.toHaveProperty("dag_run_conf");
});

test("what somebody chose is asked for", () => {
  expect(asked("sales", { ...wanted, conf: '{"size": 3}' }, "UTC")).toMatchObject({ dag_run_conf: { size: 3 } });
  expect(asked("sales", { ...wanted, conf: "{}" }, "UTC")).toMatchObject({ dag_run_conf: {} });
  expect(asked("sales", { ...wanted, version: "newest" }, "UTC")).toMatchObject({ run_on_latest_version: true });
  expect(asked("sales", { ...wanted, version: "own" }, "UTC")).toMatchObject({ run_on_latest_version: false });
});

test("what is wrong with the form is said", () => {
  const problem = (change: Partial<typeof wanted>) => {
    const answer = asked("sales", { ...wanted, ...change }, "UTC");
    return "problem" in answer ? answer.problem : undefined;
  };

  expect(problem({})).toBeUndefined();
  expect(problem({ from: "" })).toMatch("from when");
  expect(problem({ to: "2025-01-01T00:00" })).toMatch("before it begins");
  expect(problem({ most: "0" })).toMatch("At least one");
  expect(problem({ most: "x" })).toMatch("At least one");
  expect(problem({ conf: "[1]" })).toMatch("JSON object");
  expect(problem({ conf: "{" })).toMatch("JSON object");
  expect(problem({ conf: "" })).toBeUndefined();
});

const progress: Progress = {
  total: 10,
  ended: 6,
  passed_over: 1,
  to_come: 2,
  queued: 1,
  running: 1,
  succeeded: 4,
  failed: 1,
  is_complete: false,
  remaining_seconds: 90,
};

test("progress is a bar and a sentence", () => {
  expect(parts(progress)).toEqual([
    { state: "success", percent: 40 },
    { state: "failed", percent: 10 },
    { state: "running", percent: 10 },
    { state: "queued", percent: 10 },
    { state: "skipped", percent: 10 },
  ]);
  expect(told(progress)).toBe("6 of 10, 1 failed, 1 left alone, about 1m 30s to go");
  expect(told({ ...progress, is_complete: true, failed: 0, passed_over: 0 })).toBe("6 of 10");
  expect(parts({ ...progress, total: 0, succeeded: 0, failed: 0, running: 0, queued: 0, passed_over: 0 })).toEqual([]);
});

test("a run of a dry run is named by its partition, else by its date", () => {
  expect(runName({ logical_date: null, partition_key: "2026-01-01" }, "UTC")).toBe("partition 2026-01-01");
  expect(runName({ logical_date: "2026-01-01T00:00:00Z", partition_key: null }, "UTC")).toContain("2026");
  expect(runName({ logical_date: null, partition_key: null }, "UTC")).toBe("without a date");
});

test("a backfill runs, is paused, or has ended", () => {
  expect(standing({ is_paused: false, completed_at: null })).toBe("running");
  expect(standing({ is_paused: true, completed_at: null })).toBe("paused");
  expect(standing({ is_paused: true, completed_at: "2026-01-01T00:00:00Z" })).toBe("ended");
});
