import { expect, test } from "vitest";

import { requestOf, wrongInterval } from "./run_request.model";

const options = {
  logicalDate: "",
  from: "",
  to: "",
  runAfter: "",
  partitionKey: "",
  runId: "",
  note: "",
  unpauses: false,
};

test("a run needs nothing but a configuration", () => {
  expect(requestOf({ a: 1 }, options, "UTC")).toEqual({ conf: { a: 1 }, logical_date: null });
});

test("dates are meant in the chosen zone", () => {
  const asked = requestOf(
    {},
    { ...options, logicalDate: "2026-01-01T13:00", runId: " mine ", note: "why" },
    "Europe/Berlin",
  );

  expect(asked).toEqual({ conf: {}, logical_date: "2026-01-01T12:00:00Z", dag_run_id: "mine", note: "why" });
});

test("a run is about an interval or a partition, and begins when it is told to (A8)", () => {
  const interval = { from: "2026-01-01T00:00", to: "2026-01-02T00:00", runAfter: "2026-02-01T06:00" };

  expect(requestOf({}, { ...options, ...interval, partitionKey: " eu " }, "Europe/Berlin")).toEqual({
    conf: {},
    logical_date: null,
    data_interval_start: "2025-12-31T23:00:00Z",
    data_interval_end: "2026-01-01T23:00:00Z",
    run_after: "2026-02-01T05:00:00Z",
    partition_key: "eu",
  });
});

test("an interval has two ends, of which the second is the later one", () => {
  expect(wrongInterval({ ...options })).toBeUndefined();
  expect(wrongInterval({ ...options, from: "2026-01-01T00:00" })).toBe(
    "The data interval needs a beginning and an end",
  );
  expect(wrongInterval({ ...options, from: "2026-01-02T00:00", to: "2026-01-01T00:00" })).toBe(
    "The data interval ends before it begins",
  );
  expect(wrongInterval({ ...options, from: "2026-01-01T00:00", to: "2026-01-02T00:00" })).toBeUndefined();
});
