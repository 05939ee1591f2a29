/** How a task, or a group of tasks, did in one run after the other. */
import type { ChartBar } from "~/components/chart/chart.model";
import { stateName, taskStates, worst } from "~/lib/states";
import { duration } from "~/lib/time";

import { median, seconds, type Summary } from "./tasks.model";

interface TaskInRun extends Summary {
  try_number: number;
}

export interface RunWithTasks {
  run_id: string;
  tasks: TaskInRun[];
}

export interface Occurrence {
  runId: string;
  /** How many task instances have which state. */
  states: Partial<Record<string, number>>;
  /** The one that asks most for attention. */
  state: string;
  /** When the first of it began. */
  at: string | null;
  /** From the first start to the last end; undefined: nothing has begun. */
  seconds: number | undefined;
  tries: number;
}

/** Runs that do not have it are left out: it came later, or went. */
export function occurrences(runs: readonly RunWithTasks[], now: number): Occurrence[] {
  return runs.flatMap(({ run_id: runId, tasks }) => {
    if (tasks.length === 0) return [];
    const all = joined(tasks);
    return [
      {
        runId,
        states: all.states,
        state: worst(Object.keys(all.states)) ?? "none",
        at: all.start_date,
        seconds: seconds(all, now),
        tries: Math.max(...tasks.map(({ try_number: number }) => number)),
      },
    ];
  });
}

function joined(tasks: readonly TaskInRun[]): Summary {
  const states: Record<string, number> = {};
  for (const task of tasks) {
    for (const [state, number] of Object.entries(task.states)) states[state] = (states[state] ?? 0) + (number ?? 0);
  }
  const starts = tasks.map((task) => task.start_date).filter((at) => at !== null);
  const ends = tasks.map((task) => task.end_date).filter((at) => at !== null);
  return {
    task_id: tasks[0]?.task_id ?? "",
    states,
    start_date: starts.toSorted()[0] ?? null,
    end_date: ends.toSorted().at(-1) ?? null,
  };
}

/** `2 success, 1 failed`; a single one: its state. */
export function statesWords(states: Occurrence["states"]): string {
  const found = taskStates.filter((state) => (states[state] ?? 0) > 0);
  const [only] = found;
  if (only !== undefined && found.length === 1 && states[only] === 1) return stateName(only);
  return found.map((state) => `${states[state] ?? 0} ${stateName(state)}`).join(", ");
}

/** So many bars apart, a date is written below. */
const marksApart = 10;

/** `day` writes the day of an instant. */
export function historyBars(all: readonly Occurrence[], day: (at: string) => string): ChartBar[] {
  return all.map(({ runId, states, state, at, seconds: took, tries }, position) => {
    const words = [statesWords(states), took === undefined ? "" : duration(took), tries > 1 ? `${tries} tries` : ""];
    return {
      key: runId,
      label: `${runId}: ${words.filter(Boolean).join(", ")}`,
      parts: [{ state, value: took ?? 0 }],
      mark: position % marksApart === 0 && at !== null ? day(at) : undefined,
    };
  });
}

export interface HistorySummary {
  runs: number;
  failed: number;
  /** Runs in which one try was not enough. */
  retried: number;
  usual: number | undefined;
}

export function historySummary(all: readonly Occurrence[]): HistorySummary {
  return {
    runs: all.length,
    failed: all.filter(({ states }) => (states.failed ?? 0) > 0).length,
    retried: all.filter(({ tries }) => tries > 1).length,
    usual: median(all.filter(({ state }) => state === "success").map((each) => each.seconds)),
  };
}

/** Of a group: each of its tasks in the same runs, those that failed most first. */
export interface Member {
  taskId: string;
  states: (string | undefined)[];
  summary: HistorySummary;
}

export function members(runs: readonly RunWithTasks[], now: number): Member[] {
  const byTask = new Map<string, RunWithTasks[]>();
  for (const { run_id, tasks } of runs) {
    for (const task of tasks) {
      const known = byTask.get(task.task_id);
      if (known) known.push({ run_id, tasks: [task] });
      else byTask.set(task.task_id, [{ run_id, tasks: [task] }]);
    }
  }
  return [...byTask]
    .map(([taskId, own]) => {
      const all = occurrences(own, now);
      const byRun = new Map(all.map((each) => [each.runId, each.state]));
      return { taskId, states: runs.map(({ run_id: id }) => byRun.get(id)), summary: historySummary(all) };
    })
    .sort((one, other) => other.summary.failed - one.summary.failed || one.taskId.localeCompare(other.taskId));
}
