/** Which runs are looked for, and what is said about them. */
import { fromZone } from "~/lib/zoned";

export const runStates = ["queued", "running", "success", "failed"] as const;
export const runTypes = ["scheduled", "manual", "backfill", "asset_triggered", "asset_materialization"] as const;

export interface Days {
  from?: string | undefined;
  to?: string | undefined;
}

const day = /^\d{4}-\d{2}-\d{2}$/;

/** The instants between which runs were to begin: from the beginning of one day to the end of another, in the zone. */
export function betweenDays({ from, to }: Days, zone: string): { after?: string; before?: string } {
  const after = from !== undefined && day.test(from) ? fromZone(`${from}T00:00:00`, zone) : undefined;
  const before = to !== undefined && day.test(to) ? fromZone(`${dayAfter(to)}T00:00:00`, zone) : undefined;
  return { ...(after !== undefined && { after }), ...(before !== undefined && { before }) };
}

function dayAfter(text: string): string {
  const at = Date.parse(`${text}T00:00:00Z`);
  return Number.isNaN(at) ? text : new Date(at + 86_400_000).toISOString().slice(0, 10);
}

/** With one that was not chosen, and without one that was. */
export function toggled(chosen: ReadonlySet<string>, id: string): ReadonlySet<string> {
  return chosen.has(id) ? new Set([...chosen].filter((each) => each !== id)) : new Set([...chosen, id]);
}

/** `3 tasks of 2 runs`. */
export function counted(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? "" : "s"}`;
}
