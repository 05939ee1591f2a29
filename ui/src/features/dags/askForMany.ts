/** What the server is asked for, of each of several DAGs. */
import { api, data } from "~/api/client";

import type { ChosenDag } from "./choice.model";

const runsAtOnce = 100;

export function pause({ dagId }: ChosenDag, isPaused: boolean): Promise<unknown> {
  return data(
    api.PATCH("/api/v2/dags/{dag_id}", { params: { path: { dag_id: dagId } }, body: { is_paused: isPaused } }),
  );
}

/** A run with the params that the DAG has by itself. */
export async function trigger(dag: ChosenDag, unpauses: boolean): Promise<void> {
  const params = { path: { dag_id: dag.dagId } };
  await data(api.POST("/api/v2/dags/{dag_id}/dagRuns", { params, body: { logical_date: null } }));
  // Afterwards: a run that is refused must not leave a DAG that runs.
  if (unpauses && dag.isPaused) await pause(dag, false);
}

export async function remove({ dagId }: ChosenDag): Promise<void> {
  await api.DELETE("/api/v2/dags/{dag_id}", { params: { path: { dag_id: dagId } } });
}

/** Failed runs of a DAG, and which of their tasks would start over. */
export interface Failed {
  dagId: string;
  runIds: string[];
  tasks: { name: string; runId: string }[];
  total: number;
}

/** Of the newest run alone, if it failed; or of all that failed, the newest first. */
export async function failedOf({ dagId }: ChosenDag, onlyNewest: boolean): Promise<Failed> {
  const path = { dag_id: dagId };
  const query = onlyNewest ? { limit: 1 } : { limit: runsAtOnce, state: ["failed"] };
  const found = await data(
    api.GET("/api/v2/dags/{dag_id}/dagRuns", { params: { path, query: { ...query, order_by: ["-run_after"] } } }),
  );
  const runIds = found.dag_runs.filter(({ state }) => state === "failed").map((run) => run.dag_run_id);
  if (runIds.length === 0) return { dagId, runIds, tasks: [], total: 0 };
  const would = await clear(dagId, runIds, true);
  const tasks = "task_instances" in would ? would.task_instances : [];
  return {
    dagId,
    runIds,
    tasks: tasks.flatMap((task) => {
      if (!("dag_run_id" in task)) return [];
      const name = task.map_index < 0 ? task.task_id : `${task.task_id} [${task.map_index}]`;
      return [{ name, runId: task.dag_run_id }];
    }),
    total: would.total_entries ?? tasks.length,
  };
}

export function clear(dagId: string, runIds: readonly string[], isDry: boolean) {
  return data(
    api.POST("/api/v2/dags/{dag_id}/clearDagRuns", {
      params: { path: { dag_id: dagId } },
      body: {
        dry_run: isDry,
        only_failed: true,
        only_new: false,
        run_on_latest_version: false,
        dag_runs: runIds.map((dag_run_id) => ({ dag_run_id })),
      },
    }),
  );
}

/** More than fit into an address are not named: then all DAGs are told of. */
const namedAtOnce = 50;

/** By DAG, how many runs it has. */
export async function runCounts(dagIds: string[]): Promise<Map<string, number>> {
  const query = dagIds.length > namedAtOnce ? {} : { dag_ids: dagIds };
  const { dags } = await data(api.GET("/api/v2/dagStats", { params: { query } }));
  return new Map(dags.map(({ dag_id, stats }) => [dag_id, stats.reduce((sum, { count }) => sum + count, 0)]));
}
