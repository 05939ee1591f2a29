import type { QueryClient } from "@tanstack/react-query";

const names = ["task", "run", "grid", "dag", "dag-runs", "task-summaries"];

/** All that is shown of a DAG's runs is old now. */
export async function forget(client: QueryClient, dagId: string): Promise<void> {
  await Promise.all(names.map((name) => client.invalidateQueries({ queryKey: [name, dagId] })));
}
