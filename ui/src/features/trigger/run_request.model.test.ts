import { expect, test } from "vitest";

import { requestOf } from "./run_request.model";

const options = { logicalDate: "", runId: "", note: "", unpauses: false };

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
