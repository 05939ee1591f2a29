import type { QueryClient } from "@tanstack/react-query";

const names = ["task", "run", "grid", "dag", "dag-runs", "task-summaries"];
const ofAllDags = ["all-runs", "all-tasks"];

/** All that is shown of a DAG's runs is old now. */
export async function forget(client: QueryClient, dagId: string): Promise<void> {
  const keys = [...names.map((name) => [name, dagId]), ...ofAllDags.map((name) => [name])];
  await Promise.all(keys.map((queryKey) => client.invalidateQueries({ queryKey })));
}
