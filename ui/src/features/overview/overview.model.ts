/** A DAG at a glance: how long its runs took, how they ended, and what fails. */
import type { ChartBar } from "~/components/chart/chart.model";
import { stateName } from "~/lib/states";
import { between, duration } from "~/lib/time";
import { usualSeconds } from "~/lib/usual";

export interface RunInChart {
  run_id: string;
  state: string;
  run_after: string;
  start_date: string | null;
  end_date: string | null;
}

/** So many bars apart, a date is written below. */
const marksApart = 10;

/** `day` writes the day of an instant. */
export function durationBars(runs: readonly RunInChart[], now: number, day: (at: string) => string): ChartBar[] {
  return runs.map((run, position) => {
    const seconds = between(run.start_date, run.end_date, now);
    const took =
      seconds === undefined ? "has not begun" : `${run.end_date === null ? "since" : "took"} ${duration(seconds)}`;
    return {
      key: run.run_id,
      label: `${run.run_id}: ${stateName(run.state)}, ${took}`,
      parts: [{ state: run.state, value: seconds ?? 0 }],
      mark: position % marksApart === 0 ? day(run.run_after) : undefined,
    };
  });
}

export interface Summary {
  ended: number;
  failed: number;
  /** Seconds; half of those that ended well took longer. */
  usual: number | undefined;
}

export function summaryOf(runs: readonly RunInChart[]): Summary {
  const ended = runs.filter(({ end_date: end }) => end !== null);
  return {
    ended: ended.length,
    failed: ended.filter(({ state }) => state === "failed").length,
    usual: usualSeconds(runs),
  };
}

const dayLength = 86_400_000;

/** The days until this one, `2026-01-31`, the last at the end. */
export function daysUntil(today: string, number: number): string[] {
  const last = Date.parse(`${today}T00:00:00Z`);
  return Array.from({ length: number }, (_, position) =>
    new Date(last - (number - 1 - position) * dayLength).toISOString().slice(0, 10),
  );
}

const order = ["success", "failed", "running", "queued"];

export function dayBars(
  days: readonly string[],
  spans: Partial<Record<string, Partial<Record<string, number>>>>,
): ChartBar[] {
  return days.map((day, position) => {
    const counts = spans[day] ?? {};
    const parts = order.map((state) => ({ state, value: counts[state] ?? 0 })).filter(({ value }) => value > 0);
    const words = parts.map(({ state, value }) => `${value} ${stateName(state)}`).join(", ");
    return {
      key: day,
      label: `${day}: ${words || "no runs"}`,
      parts,
      mark: position % 7 === 0 ? day.slice(5) : undefined,
    };
  });
}

export interface FailedInstance {
  task_id: string;
  task_display_name: string;
  dag_run_id: string;
}

export interface FailingTask {
  taskId: string;
  name: string;
  number: number;
  /** In percent of the one that fails most. */
  share: number;
}

/** Those that fail most first. */
export function failuresByTask(instances: readonly FailedInstance[], most: number): FailingTask[] {
  const found = new Map<string, FailingTask>();
  for (const { task_id: taskId, task_display_name: name } of instances) {
    const known = found.get(taskId);
    if (known) known.number += 1;
    else found.set(taskId, { taskId, name, number: 1, share: 0 });
  }
  const tasks = [...found.values()].sort(
    (one, other) => other.number - one.number || one.taskId.localeCompare(other.taskId),
  );
  const highest = tasks[0]?.number ?? 1;
  return tasks.slice(0, most).map((task) => ({ ...task, share: Math.round((100 * task.number) / highest) }));
}
