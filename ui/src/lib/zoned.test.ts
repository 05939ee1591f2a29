import { expect, test } from "vitest";

import { clockChange, fromZone, inZone } from "./zoned";

test("an instant goes to the clocks of a zone and back", () => {
  expect(inZone("2026-01-31T12:30:00Z", "Europe/Berlin")).toBe("2026-01-31T13:30:00");
  expect(fromZone("2026-01-31T13:30", "Europe/Berlin")).toBe("2026-01-31T12:30:00Z");
  expect(fromZone("2026-07-31T13:30:05", "America/New_York")).toBe("2026-07-31T17:30:05Z");
});

test("around a change of the clocks", () => {
  expect(fromZone("2026-03-29T01:59", "Europe/Berlin")).toBe("2026-03-29T00:59:00Z");
  expect(fromZone("2026-03-29T03:00", "Europe/Berlin")).toBe("2026-03-29T01:00:00Z");
  // It comes twice, and the first one is meant.
  expect(fromZone("2026-10-25T02:30", "Europe/Berlin")).toBe("2026-10-25T00:30:00Z");
  // It never comes: some instant nearby is better than none.
  expect(fromZone("2026-03-29T02:30", "Europe/Berlin")).toBe("2026-03-29T01:30:00Z");
});

test("what is no time is none", () => {
  expect(inZone("never", "UTC")).toBe("");
  expect(fromZone("", "UTC")).toBeUndefined();
});

test("days on which clocks are changed are known, in every zone", () => {
  expect(clockChange("2026-03-29", "Europe/Berlin")).toBe(60);
  expect(clockChange("2026-10-25", "Europe/Berlin")).toBe(-60);
  expect(clockChange("2026-03-28", "Europe/Berlin")).toBe(0);
  expect(clockChange("2026-03-08", "America/New_York")).toBe(60);
  expect(clockChange("2026-04-04", "Pacific/Auckland")).toBe(0);
  expect(clockChange("2026-04-05", "Pacific/Auckland")).toBe(-60);
  expect(clockChange("2026-04-05", "Australia/Lord_Howe")).toBe(-30);
  expect(clockChange("2026-03-29", "UTC")).toBe(0);
  expect(clockChange("nonsense", "UTC")).toBe(0);
});
