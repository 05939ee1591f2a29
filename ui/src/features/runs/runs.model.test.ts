import { expect, test } from "vitest";

import { betweenDays, counted, toggled } from "./runs.model";

test("days are those of the zone, and the last one is in it as a whole", () => {
  expect(betweenDays({ from: "2026-01-31", to: "2026-01-31" }, "Europe/Berlin")).toEqual({
    after: "2026-01-30T23:00:00Z",
    before: "2026-01-31T23:00:00Z",
  });
  expect(betweenDays({ from: "yesterday", to: "2026-99-99" }, "UTC")).toEqual({});
  expect(betweenDays({}, "UTC")).toEqual({});
});

test("runs are chosen and let go", () => {
  expect([...toggled(new Set(["a"]), "b")]).toEqual(["a", "b"]);
  expect([...toggled(new Set(["a", "b"]), "a")]).toEqual(["b"]);
});

test("one is one, and many are many", () => {
  expect(counted(1, "run")).toBe("1 run");
  expect(counted(2, "run")).toBe("2 runs");
});
