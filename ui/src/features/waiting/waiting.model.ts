/** Ticks that wait for assets, and deadlines: what is said about them. */
import type { Deadline, Slot, SlotState } from "~/api/waitingQueries";

export const slotViews = { waiting: "Waiting", settled: "Settled", all: "All" } as const;
export type SlotView = keyof typeof slotViews;

const statesOf: Record<SlotView, SlotState[]> = {
  waiting: ["waiting"],
  settled: ["open", "superseded", "expired"],
  all: [],
};

export function slotStates(view: SlotView): SlotState[] {
  return statesOf[view];
}

export function parseSlotsSearch({ which }: Record<string, unknown>): { which?: SlotView } {
  return which === "settled" || which === "all" ? { which } : {};
}

export function parseDeadlinesSearch({ which }: Record<string, unknown>): { which?: "missed" } {
  return which === "missed" ? { which } : {};
}

/** What became of a tick, in words. */
export function fateOf({ state, reason, missing }: Pick<Slot, "state" | "reason" | "missing">): string {
  const because = reason ? `: ${reason}` : "";
  switch (state) {
    case "waiting":
      return missing ? `waits for ${missing}` : "has all it needs: its run comes at once";
    case "open":
      return `got its run${because}`;
    case "superseded":
      return `gave way to a later tick${because}`;
    default:
      return `${state}${because}`;
  }
}

/** The state whose colour it has. */
export function lookOf(state: SlotState): string {
  if (state === "waiting") return "deferred";
  if (state === "open") return "success";
  return state === "superseded" ? "skipped" : "failed";
}

/** What became of a deadline, in words. */
export function deadlineWords({ missed, state, message }: Pick<Deadline, "missed" | "state" | "message">): string {
  const because = message ? `: ${message}` : "";
  if (state === "asked") return "its time is being worked out";
  if (state === "failed")
    return `${missed ? "missed, and its callback failed" : "its time could not be worked out"}${because}`;
  if (!missed) return "to come";
  if (state === "running") return "missed, its callback is being called";
  return state === "success" ? "missed, its callback was called" : "missed, its callback is to be called";
}

const references: Partial<Record<string, string>> = {
  DagRunQueuedAtDeadline: "the run was queued",
  DagRunLogicalDateDeadline: "the logical date",
  FixedDatetimeDeadline: "a fixed date",
  AverageRuntimeDeadline: "the average runtime",
};

/** What a deadline is counted from. */
export function referenceWords(type: string): string {
  return references[type] ?? type;
}

/** A callback by the name that its author knows: the module of a DAG file is named after the place of the file. */
export function callbackName(path: string): string {
  return path.replace(/^unusual_prefix_[0-9a-f]+_/, "");
}
