import type { Schemas } from "~/api/client";
import { fromZone } from "~/lib/zoned";

export interface RunOptions {
  /** As fields have it: without a zone. */
  logicalDate: string;
  /** The ends of its data interval. */
  from: string;
  to: string;
  runAfter: string;
  partitionKey: string;
  runId: string;
  note: string;
  unpauses: boolean;
}

/** What the server is asked for. */
export function requestOf(
  conf: Record<string, unknown>,
  { logicalDate, from, to, runAfter, partitionKey, runId, note }: RunOptions,
  zone: string,
): Schemas["TriggerDAGRunPostBody"] {
  const at = (text: string) => fromZone(text, zone) ?? null;
  return {
    conf,
    logical_date: logicalDate === "" ? null : at(logicalDate),
    ...(from !== "" && { data_interval_start: at(from), data_interval_end: at(to) }),
    ...(runAfter !== "" && { run_after: at(runAfter) }),
    ...(partitionKey.trim() !== "" && { partition_key: partitionKey.trim() }),
    ...(runId.trim() !== "" && { dag_run_id: runId.trim() }),
    ...(note.trim() !== "" && { note }),
  };
}

/** What is wrong with the data interval. */
export function wrongInterval({ from, to }: RunOptions): string | undefined {
  if ((from === "") !== (to === "")) return "The data interval needs a beginning and an end";
  return from !== "" && to < from ? "The data interval ends before it begins" : undefined;
}
