import { expect, test } from "vitest";

import { healthOf } from "./health.model";

const job = (kind: string) => ({ job_type: kind });

test("parts say how they are and how many of them live, workers after them", () => {
  const reported = {
    metadatabase: { status: "healthy" },
    scheduler: { status: "healthy" },
    dag_processor: { status: "unhealthy" },
    triggerer: { status: null },
  };

  expect(healthOf(reported, [job("SchedulerJob"), job("SchedulerJob"), job("WorkerJob")])).toEqual([
    { name: "Database", status: "healthy", count: 0 },
    { name: "Scheduler", status: "healthy", count: 2 },
    { name: "DAG processor", status: "unhealthy", count: 0 },
    { name: "Triggerer", status: "unknown", count: 0 },
    { name: "Worker", status: "healthy", count: 1 },
  ]);
});

test("nothing is known before the server has answered", () => {
  expect(healthOf(undefined, []).map(({ status }) => status)).toEqual(["unknown", "unknown", "unknown", "unknown"]);
});
