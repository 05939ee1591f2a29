/** How long runs take that end well. */
import { between } from "./time";

export interface TimedRun {
  state: string;
  start_date: string | null;
  end_date: string | null;
}

/** In seconds: half of those that ended well took longer. Undefined where none has. */
export function usualSeconds(runs: readonly TimedRun[]): number | undefined {
  const durations = runs
    .filter(({ state, end_date: end }) => state === "success" && end !== null)
    .map((run) => between(run.start_date, run.end_date, 0))
    .filter((each) => each !== undefined)
    .sort((one, other) => one - other);
  return durations[Math.floor((durations.length - 1) / 2)];
}
