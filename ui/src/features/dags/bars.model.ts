import { between } from "~/lib/time";

export interface Bar {
  run_id: string;
  state: string;
  start_date: string | null;
  end_date: string | null;
}

const lowest = 18;

/** How high each bar is, in percent of the highest: by duration, and never so low that nobody can point at it. */
export function heights(runs: Bar[], now: number): number[] {
  const durations = runs.map((run) => between(run.start_date, run.end_date, now) ?? 0);
  const longest = Math.max(...durations, 1e-9);
  return durations.map((seconds) => Math.round(lowest + ((100 - lowest) * seconds) / longest));
}
