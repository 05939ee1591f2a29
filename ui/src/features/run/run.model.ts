import type { Schemas } from "~/api/client";

type Run = Pick<Schemas["DAGRunResponse"], "triggered_by" | "triggering_user_name" | "run_type"> & {
  dag_versions: readonly Pick<Schemas["DagVersionResponse"], "version_number">[];
};

export const runTabs = [
  ["details", "Details"],
  ["tasks", "Tasks"],
  ["asset_events", "Asset events"],
  ["audit_log", "Audit log"],
] as const;

export type RunTab = (typeof runTabs)[number][0];

/** The tab of an address; the first one where it names none. */
export function tabOf(name: string | undefined): RunTab {
  return runTabs.find(([each]) => each === name)?.[0] ?? "details";
}

const ways: Partial<Record<string, string>> = {
  rest_api: "through the API",
  ui: "on the pages",
  cli: "by command",
  timetable: "by the schedule",
  operator: "by another DAG",
  asset: "by assets",
  backfill: "by a backfill",
  test: "by a test",
};

/** Who or what asked for it. */
export function originOf({ triggered_by: by, triggering_user_name: user, run_type: kind }: Run): string {
  const way = by === null ? kind : (ways[by.toLowerCase()] ?? by);
  return user === null ? way : `${way}, ${user}`;
}

/** The numbers of the versions that its tasks ran with. */
export function versionsOf({ dag_versions: versions }: Run): string {
  return versions.map(({ version_number: number }) => number).join(", ");
}

/** What is gone with a run, before it is. */
export function lossOf(state: string, { tasks, xcoms }: { tasks: number; xcoms: number }): string {
  const count = (number: number, what: string) => `${number} ${what}${number === 1 ? "" : "s"}`;
  const parts = `${count(tasks, "task instance")} with all attempts and ${count(xcoms, "XCom")}`;
  const isOver = state === "success" || state === "failed";
  return `Gone with it: ${parts}. This cannot be undone.${isOver ? "" : " Its tasks that run now are stopped."}`;
}
