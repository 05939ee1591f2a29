import { expect, test } from "vitest";

import { findZones, offsetOf } from "./zones.model";

const names = ["Europe/Berlin", "UTC", "America/New_York", "Asia/Kolkata", "Asia/Tokyo"];
const summer = new Date("2026-07-01T00:00:00Z");

test.each([
  ["berl", ["Europe/Berlin"]],
  ["new york", ["America/New_York"]],
  ["america/new_york", ["America/New_York"]],
  ["asia", ["Asia/Kolkata", "Asia/Tokyo"]],
  ["+5:30", ["Asia/Kolkata"]],
  ["utc+2", ["Europe/Berlin"]],
  ["-04", ["America/New_York"]],
  ["mars", []],
])("%j finds %j", (query, found) => {
  expect(findZones(names, query, summer).map(({ name }) => name)).toEqual(found);
});

test("nothing asked for is everything, the chosen order kept", () => {
  expect(findZones(names, " ", summer).map(({ name }) => name)).toEqual(names);
});

test("the offset is that of the season", () => {
  expect(offsetOf("Europe/Berlin", summer)).toBe("UTC+02:00");
  expect(offsetOf("Europe/Berlin", new Date("2026-01-01T00:00:00Z"))).toBe("UTC+01:00");
  expect(offsetOf("UTC", summer)).toBe("UTC");
});
