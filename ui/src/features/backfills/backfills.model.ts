/** Backfills: what is asked for, and how far they are. */
import { fromZone } from "~/lib/zoned";
import { duration, instant } from "~/lib/time";

export interface Wanted {
  /** As fields of the form know them: times without a zone. */
  from: string;
  to: string;
  isBackwards: boolean;
  most: string;
  reprocess: "none" | "failed" | "completed";
  /** Empty: runs that start over keep theirs. */
  conf: string;
  version: "by DAG" | "newest" | "own";
}

export const nothingWanted: Wanted = {
  from: "",
  to: "",
  isBackwards: false,
  most: "10",
  reprocess: "none",
  conf: "",
  version: "by DAG",
};

export const reprocessWords = {
  none: "Leave them alone",
  failed: "Run failed ones again",
  completed: "Run all of them again",
} as const;

export const versionWords = {
  "by DAG": "As the DAG says",
  newest: "Newest version",
  own: "Version of each run; of new ones, today's",
} as const;

const isOnLatest = { newest: true, own: false } as const;

/** What is not in it is decided by the server: from the DAG, or from the runs that are there. */
export interface Asked {
  dag_id: string;
  from_date: string;
  to_date: string;
  run_backwards: boolean;
  max_active_runs: number;
  reprocess_behavior: Wanted["reprocess"];
  dag_run_conf?: Record<string, unknown>;
  run_on_latest_version?: boolean;
}

/** What to ask the server for, or what is wrong with the form. */
export function asked(dagId: string, wanted: Wanted, zone: string): Asked | { problem: string } {
  const from = instantOf(wanted.from, zone);
  const to = instantOf(wanted.to, zone);
  if (from === undefined || to === undefined) return { problem: "Say from when to when." };
  if (Date.parse(from) > Date.parse(to)) return { problem: "It would end before it begins." };
  const most = Number(wanted.most);
  if (!Number.isInteger(most) || most < 1) return { problem: "At least one run at once." };
  const isConfGiven = wanted.conf.trim() !== "";
  const conf = isConfGiven ? confOf(wanted.conf) : undefined;
  if (isConfGiven && conf === undefined) return { problem: 'The configuration is a JSON object, such as {"size": 3}.' };
  return {
    dag_id: dagId,
    from_date: from,
    to_date: to,
    run_backwards: wanted.isBackwards,
    max_active_runs: most,
    reprocess_behavior: wanted.reprocess,
    ...(conf !== undefined && { dag_run_conf: conf }),
    ...(wanted.version !== "by DAG" && { run_on_latest_version: isOnLatest[wanted.version] }),
  };
}

function instantOf(local: string, zone: string): string | undefined {
  if (local === "") return undefined;
  const withSeconds = /T\d\d:\d\d$/.test(local) ? `${local}:00` : local;
  return fromZone(withSeconds, zone);
}

function confOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

/** What a run is about that a backfill would make: its partition, or its date. */
export function runName(run: { logical_date: string | null; partition_key: string | null }, zone: string): string {
  if (run.partition_key !== null) return `partition ${run.partition_key}`;
  return run.logical_date === null ? "without a date" : instant(run.logical_date, zone);
}

export interface Progress {
  total: number;
  ended: number;
  passed_over: number;
  to_come: number;
  queued: number;
  running: number;
  succeeded: number;
  failed: number;
  is_complete: boolean;
  remaining_seconds: number | null;
}

/** Parts of the bar, in percent. */
export function parts(progress: Progress): { state: string; percent: number }[] {
  const whole = Math.max(progress.total, 1);
  return (
    [
      ["success", progress.succeeded],
      ["failed", progress.failed],
      ["running", progress.running],
      ["queued", progress.queued],
      ["skipped", progress.passed_over],
    ] as const
  )
    .filter(([, number]) => number > 0)
    .map(([state, number]) => ({ state, percent: Math.round((number / whole) * 1000) / 10 }));
}

/** `12 of 30, 2 failed, 40s to go`. */
export function told(progress: Progress): string {
  const words = [`${progress.ended} of ${progress.total}`];
  if (progress.failed > 0) words.push(`${progress.failed} failed`);
  if (progress.passed_over > 0) words.push(`${progress.passed_over} left alone`);
  if (!progress.is_complete && progress.remaining_seconds !== null) {
    words.push(`about ${duration(progress.remaining_seconds)} to go`);
  }
  return words.join(", ");
}

export type Standing = "running" | "paused" | "ended";

export function standing(backfill: { is_paused: boolean; completed_at: string | null }): Standing {
  if (backfill.completed_at !== null) return "ended";
  return backfill.is_paused ? "paused" : "running";
}
