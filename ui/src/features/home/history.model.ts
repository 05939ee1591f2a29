/** How runs and tasks of the last time ended. */
import type { ChartBar } from "~/components/chart/chart.model";
import { stateName, taskStates } from "~/lib/states";
import { inZone } from "~/lib/zoned";

export const periods = ["1h", "6h", "12h", "24h", "7d"] as const;
export type Period = (typeof periods)[number];

export const usualPeriod: Period = "24h";

const names: Record<Period, string> = {
  "1h": "hour",
  "6h": "6 hours",
  "12h": "12 hours",
  "24h": "24 hours",
  "7d": "7 days",
};

export function periodName(period: Period): string {
  return names[period];
}

export interface HomeSearch {
  period?: Period | undefined;
}

/** What of the address of the overview makes sense. */
export function parseHomeSearch({ period }: Record<string, unknown>): HomeSearch {
  const found = periods.find((each) => each === period);
  return found === undefined ? {} : { period: found };
}

type Counts = Partial<Record<string, number>>;

export interface Span {
  since: string;
  ended: Counts;
}

const ends = ["success", "failed"];
const marksApart = 4;
const day = 86_400;

/** A bar for each span; every few of them say when: the day of long ones, the time of short ones. */
export function spanBars(spans: readonly Span[], spanSeconds: number, zone: string): ChartBar[] {
  const isLong = spans.length * spanSeconds > day;
  return spans.map(({ since, ended }, position) => {
    const local = inZone(since, zone).replace("T", " ");
    const parts = ends.map((state) => ({ state, value: ended[state] ?? 0 })).filter(({ value }) => value > 0);
    const words = parts.map(({ state, value }) => `${value} ${stateName(state)}`).join(", ");
    return {
      key: since,
      label: `${local.slice(0, 16)}: ${words || "no run ended"}`,
      parts,
      mark: position % marksApart === 0 ? (isLong ? local.slice(5, 10) : local.slice(11, 16)) : undefined,
    };
  });
}

export interface StateRow {
  state: string;
  number: number;
  /** In percent of all. */
  share: number;
}

const order: readonly string[] = ["success", ...taskStates.filter((state) => state !== "success")];

/** Those that there are, how most should end first. */
export function stateRows(states: Counts): StateRow[] {
  const all = Object.values(states).reduce<number>((sum, number) => sum + (number ?? 0), 0);
  return order
    .map((state) => ({ state, number: states[state] ?? 0 }))
    .filter(({ number }) => number > 0)
    .map((each) => ({ ...each, share: (100 * each.number) / all }));
}

/** `95 %`; what is there is never nothing, and what is missing never all. */
export function percent(share: number): string {
  if (share > 0 && share < 1) return "< 1 %";
  return share > 99 && share < 100 ? "> 99 %" : `${Math.round(share)} %`;
}
