import { expect, test } from "vitest";

import { type ChartBar, drawn, lines } from "./chart.model";

const bar = (...values: number[]): ChartBar => ({
  key: values.join(),
  label: "",
  parts: values.map((value) => ({ state: "success", value })),
});

test.each([
  [[], "count", [1]],
  [[bar(1)], "count", [1]],
  [[bar(3), bar(2)], "count", [1, 2, 3]],
  [[bar(3, 4)], "count", [2, 4, 6, 8]],
  [[bar(140)], "count", [50, 100, 150]],
  [[bar(0.3)], "seconds", [0.1, 0.2, 0.3]],
  [[bar(50)], "seconds", [15, 30, 45, 60]],
  [[bar(3000)], "seconds", [900, 1800, 2700, 3600]],
  [[bar(20 * 86_400)], "seconds", [5, 10, 15, 20].map((days) => days * 86_400)],
] as const)("lines are drawn at round values: %#", (bars, unit, values) => {
  expect(lines(bars, unit)).toEqual(values);
});

test("parts have their share of the height, and what is there can be seen", () => {
  const [one] = drawn([bar(50, 0, 0.001)], 100);

  expect(one?.parts).toEqual([
    { state: "success", height: 50 },
    { state: "success", height: 1.5 },
  ]);
});
