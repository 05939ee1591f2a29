/** Where to go from a reason: to what stands in the way. */

export interface Reason {
  code: string;
  text: string;
  details?: Record<string, unknown>;
}

export type Way =
  | { kind: "pool"; name: string }
  | { kind: "task"; taskId: string }
  | { kind: "runs" }
  | { kind: "backfills" }
  | { kind: "import errors" }
  | { kind: "question" }
  | { kind: "asset"; name: string }
  | { kind: "unpause" };

const simple: Partial<Record<string, Way>> = {
  dag_paused: { kind: "unpause" },
  dag_unusable: { kind: "import errors" },
  import_error: { kind: "import errors" },
  dag_stale: { kind: "import errors" },
  max_active_runs: { kind: "runs" },
  max_active_per_run: { kind: "runs" },
  max_active_tasks: { kind: "runs" },
  backfill_paused: { kind: "backfills" },
  backfill_max_active_runs: { kind: "backfills" },
  awaiting_input: { kind: "question" },
};

export function waysFrom({ code, details = {} }: Reason): Way[] {
  const ways: Way[] = [];
  const first = simple[code];
  if (first !== undefined) ways.push(first);
  if (typeof details.pool === "string") ways.push({ kind: "pool", name: details.pool });
  for (const taskId of texts(details.unfinished_upstream)) ways.push({ kind: "task", taskId });
  for (const name of texts(details.missing)) ways.push({ kind: "asset", name });
  return ways;
}

/** The instant that it lasts until, where it has one. */
export function untilOf({ details }: Reason): string | undefined {
  return typeof details?.until === "string" ? details.until : undefined;
}

/** The reasons, without the one that the summary says already. The summary is that in a sentence. */
export function others<R extends Reason>(summary: string, reasons: readonly R[]): R[] {
  return reasons.filter(({ text }) => plain(text) !== plain(summary));
}

function plain(text: string): string {
  return text.toLowerCase().replace(/(, and \d+ more)?\.$/, "");
}

function texts(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === "string") : [];
}
