/** Where things are in a chart of bars. */

export interface Part {
  state: string;
  value: number;
}

export interface ChartBar {
  key: string;
  /** Said of it where there is no room to write: on its tooltip, and to screen readers. */
  label: string;
  /** From the bottom upwards. */
  parts: Part[];
  /** Below it; only some bars have one. */
  mark?: string | undefined;
}

export interface Drawn {
  bar: ChartBar;
  /** In percent of the chart. */
  parts: { state: string; height: number }[];
}

/** Something that is there is never so low that nobody can see it. */
const lowest = 1.5;

/** How high each part is; `top` is the value at the upper edge. */
export function drawn(bars: readonly ChartBar[], top: number): Drawn[] {
  return bars.map((bar) => ({
    bar,
    parts: bar.parts
      .filter(({ value }) => value > 0)
      .map(({ state, value }) => ({ state, height: Math.max(lowest, (100 * value) / top) })),
  }));
}

const steps = [1, 2, 5, 10];
const timeSteps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200, 86_400];

/** The values at which lines are drawn: round ones, a few of them, the last at or above the highest bar. */
export function lines(bars: readonly ChartBar[], unit: "count" | "seconds"): number[] {
  const highest = Math.max(0, ...bars.map(({ parts }) => parts.reduce((sum, { value }) => sum + value, 0)));
  const step = unit === "seconds" && highest > 1 ? timeStep(highest) : decimalStep(highest, unit === "count" ? 1 : 0);
  const number = Math.max(1, Math.ceil(highest / step - 1e-9));
  return Array.from({ length: number }, (_, position) => rounded((position + 1) * step));
}

const mostLines = 4;

function timeStep(highest: number): number {
  const day = 86_400;
  return timeSteps.find((each) => highest / each <= mostLines) ?? Math.ceil(highest / mostLines / day) * day;
}

function decimalStep(highest: number, least: number): number {
  const wanted = Math.max(highest / mostLines, least, 1e-3);
  const power = 10 ** Math.floor(Math.log10(wanted) + 1e-9);
  return (steps.find((each) => each * power >= wanted - 1e-9) ?? 10) * power;
}

function rounded(value: number): number {
  return Number(value.toPrecision(12));
}
