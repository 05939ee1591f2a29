/** States of runs and tasks: how they are called, and in which order they are told. */

export const taskStates = [
  "failed",
  "upstream_failed",
  "up_for_retry",
  "running",
  "restarting",
  "queued",
  "scheduled",
  "deferred",
  "awaiting_input",
  "up_for_reschedule",
  "none",
  "skipped",
  "removed",
  "success",
] as const;

export type TaskState = (typeof taskStates)[number];

const names: Partial<Record<string, string>> = {
  none: "no status",
  up_for_retry: "up for retry",
  up_for_reschedule: "up for reschedule",
  upstream_failed: "upstream failed",
  awaiting_input: "awaiting input",
};

/** As people say it. */
export function stateName(state: string | null | undefined): string {
  return state == null ? "no status" : (names[state] ?? state);
}

/** The state that stands for many: the one that asks most for attention. */
export function worst(states: Iterable<string>): TaskState | undefined {
  const found = new Set(states);
  return taskStates.find((state) => found.has(state));
}

const active = new Set(["running", "queued", "scheduled", "restarting", "up_for_retry", "deferred"]);

/** Whether it is still going to change by itself. */
export function isActive(state: string | null): boolean {
  return state === null || active.has(state);
}
