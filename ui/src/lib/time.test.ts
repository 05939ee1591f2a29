import { expect, test } from "vitest";

import { between, distance, duration, instant, readable } from "./time";

test.each([
  [0, "0s"],
  [0.44, "0.4s"],
  [9.99, "9.9s"],
  [10, "10s"],
  [75, "1m 15s"],
  [3_600, "1h"],
  [3_660, "1h 1m"],
  [90_061, "1d 1h"],
])("%d seconds are %s", (seconds, text) => {
  expect(duration(seconds)).toBe(text);
});

test("what has not ended goes on until now", () => {
  const start = "2026-01-01T00:00:00Z";

  expect(between(start, null, Date.parse("2026-01-01T00:01:00Z"))).toBe(60);
  expect(between(start, "2026-01-01T00:00:05Z", 0)).toBe(5);
  expect(between(null, null, 0)).toBeUndefined();
});

test("instants are shown in the chosen zone", () => {
  expect(instant("2026-07-01T22:30:05Z", "Europe/Berlin")).toBe("2026-07-02 00:30:05");
  expect(instant("2026-07-01T22:30:05Z", "UTC")).toBe("2026-07-01 22:30:05");
});

test("instants are written as in the chosen language", () => {
  expect(instant("2026-07-01T22:30:05Z", "UTC", "de")).toBe("01.07.2026, 22:30:05");
  expect(instant("2026-07-01T22:30:05Z", "UTC", "en-US")).toMatch(/^Jul 1, 2026, 10:30:05\sPM$/);
});

test("distances say the largest unit", () => {
  const now = Date.parse("2026-01-01T00:00:00Z");

  expect(distance("2026-01-01T01:30:00Z", now)).toBe("in 1h");
  expect(distance("2025-12-31T23:59:48Z", now)).toBe("12s ago");
  expect(distance("2026-01-01T00:00:00.4Z", now)).toBe("now");
});

test("moments within a sentence are those of the chosen zone", () => {
  expect(readable("due at 2026-11-17T06:00:00+00:00, not at 2026-11-17T06:00:00.123456Z.", "Europe/Berlin")).toBe(
    "due at 2026-11-17 07:00:00, not at 2026-11-17 07:00:00.",
  );
  expect(readable("scheduled__2026-11-17 is over", "UTC")).toBe("scheduled__2026-11-17 is over");
});
