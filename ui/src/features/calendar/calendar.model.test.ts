import { expect, test } from "vitest";

import { clockWords, days, look, range, shifted, weeks, whenOf, words, written } from "./calendar.model";

test("an address names a year or a month", () => {
  expect(whenOf("2026", "2030-01-01")).toEqual({ year: 2026, month: undefined });
  expect(whenOf("2026-02", "2030-01-01")).toEqual({ year: 2026, month: 2 });
  expect(whenOf("2026-13", "2030-05-01")).toEqual({ year: 2030, month: undefined });
  expect(whenOf(undefined, "2030-05-01")).toEqual({ year: 2030, month: undefined });
  expect(written({ year: 2026, month: 2 })).toBe("2026-02");
});

test("before January comes December", () => {
  expect(shifted({ year: 2026, month: 1 }, -1)).toEqual({ year: 2025, month: 12 });
  expect(shifted({ year: 2026, month: 12 }, 1)).toEqual({ year: 2027, month: 1 });
  expect(shifted({ year: 2026, month: undefined }, -1)).toEqual({ year: 2025, month: undefined });
});

test("weeks begin on Monday", () => {
  const january = weeks(2026, 1); // begins on a Thursday

  expect(january[0]).toEqual([undefined, undefined, undefined, "2026-01-01", "2026-01-02", "2026-01-03", "2026-01-04"]);
  expect(january.flat().filter(Boolean)).toEqual(days(2026, 1));
  expect(days(2028, 2)).toHaveLength(29);
});

test("a range has all days of the year or month", () => {
  expect(range({ year: 2026, month: undefined })).toEqual({ first: "2026-01-01", last: "2026-12-31" });
  expect(range({ year: 2026, month: 4 })).toEqual({ first: "2026-04-01", last: "2026-04-30" });
});

test("a failure is seen in a day, however rare it was", () => {
  expect(look({ success: 99, failed: 1 })).toEqual({ state: "failed", share: 25, rest: "success" });
  expect(look({ success: 1, failed: 1 })).toEqual({ state: "failed", share: 50, rest: "success" });
  expect(look({ success: 3 })).toEqual({ state: "success", share: 100, rest: "success" });
  expect(look({})).toBeUndefined();
  expect(words({ success: 3, failed: 1 }, 2)).toBe("1 failed, 3 success, 2 to come");
  expect(words(undefined, 0)).toBe("no runs");
});

test("a day on which the clocks are changed says so", () => {
  expect(clockWords(0)).toBeUndefined();
  expect(clockWords(60)).toBe("clocks go forward 1 h");
  expect(clockWords(-30)).toBe("clocks go back 30 min");
});
