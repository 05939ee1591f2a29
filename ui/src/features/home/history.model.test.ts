import { expect, test } from "vitest";

import { parseHomeSearch, percent, spanBars, stateRows } from "./history.model";

test("an address names a period, or nothing", () => {
  expect(parseHomeSearch({ period: "7d" })).toEqual({ period: "7d" });
  expect(parseHomeSearch({ period: "7y", other: 1 })).toEqual({});
});

test("each span is a bar that says when and what, in the chosen zone", () => {
  const spans = [
    { since: "2026-03-04T11:00:00Z", ended: { failed: 1, success: 3 } },
    { since: "2026-03-04T12:00:00Z", ended: {} },
  ];

  const [first, second] = spanBars(spans, 3600, "Europe/Berlin");

  expect(first).toEqual({
    key: "2026-03-04T11:00:00Z",
    label: "2026-03-04 12:00: 3 success, 1 failed",
    parts: [
      { state: "success", value: 3 },
      { state: "failed", value: 1 },
    ],
    mark: "12:00",
  });
  expect(second).toMatchObject({ label: "2026-03-04 13:00: no run ended", parts: [], mark: undefined });
});

test("below long periods stand days", () => {
  const spans = Array.from({ length: 5 }, (_, number) => ({
    since: new Date(Date.UTC(2026, 2, 4, 6 * number)).toISOString(),
    ended: {},
  }));

  expect(spanBars(spans, 21_600, "UTC").map(({ mark }) => mark)).toEqual([
    "03-04",
    undefined,
    undefined,
    undefined,
    "03-05",
  ]);
});

test("states are told with their share, success first and what is not there not at all", () => {
  expect(stateRows({ failed: 1, running: 0, success: 2, queued: 1 })).toEqual([
    { state: "success", number: 2, share: 50 },
    { state: "failed", number: 1, share: 25 },
    { state: "queued", number: 1, share: 25 },
  ]);
  expect(stateRows({})).toEqual([]);
});

test("a few of many are neither none nor all", () => {
  expect([0.2, 99.8, 100, 33.4].map(percent)).toEqual(["< 1 %", "> 99 %", "100 %", "33 %"]);
});
