import type { Schemas } from "~/api/client";
import { fromZone } from "~/lib/zoned";

export interface RunOptions {
  /** As a field has it: without a zone. */
  logicalDate: string;
  runId: string;
  note: string;
  unpauses: boolean;
}

/** What the server is asked for. */
export function requestOf(
  conf: Record<string, unknown>,
  { logicalDate, runId, note }: RunOptions,
  zone: string,
): Schemas["TriggerDAGRunPostBody"] {
  return {
    conf,
    logical_date: logicalDate === "" ? null : (fromZone(logicalDate, zone) ?? null),
    ...(runId.trim() !== "" && { dag_run_id: runId.trim() }),
    ...(note.trim() !== "" && { note }),
  };
}
