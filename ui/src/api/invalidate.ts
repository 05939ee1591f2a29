/** Which answers a change makes old. */
import type { QueryKey } from "@tanstack/react-query";

import type { Change } from "~/lib/live";

interface Shown {
  /** What is shown under such a key. */
  kinds: string[];
  /** How many ids the key begins with: of a DAG, of a run. */
  ids: 0 | 1 | 2;
  /** Of everything there is, so that on a busy day it would be loaded without an end: every few seconds will do. */
  isPatient?: true;
}

const shown: Partial<Record<string, Shown>> = {
  dags: { kinds: ["dag"], ids: 0 },
  runs: { kinds: ["dag_run"], ids: 0 },
  "latest-runs": { kinds: ["dag_run"], ids: 0 },
  dag: { kinds: ["dag", "dag_run"], ids: 1 },
  grid: { kinds: ["dag", "dag_run", "task_instance"], ids: 1 },
  graph: { kinds: ["dag"], ids: 1 },
  source: { kinds: ["dag"], ids: 1 },
  "task-summaries": { kinds: ["dag", "dag_run", "task_instance"], ids: 1 },
  calendar: { kinds: ["dag_run"], ids: 1 },
  "dag-runs": { kinds: ["dag_run"], ids: 1 },
  backfills: { kinds: ["dag_run"], ids: 1 },
  versions: { kinds: ["dag"], ids: 1 },
  "asset-events": { kinds: ["dag_run", "asset"], ids: 1, isPatient: true },
  run: { kinds: ["dag_run", "task_instance"], ids: 2 },
  task: { kinds: ["dag_run", "task_instance"], ids: 2 },
  health: { kinds: ["job"], ids: 0 },
  jobs: { kinds: ["job"], ids: 0 },
  pools: { kinds: ["pool", "task_instance"], ids: 0, isPatient: true },
  "import-errors": { kinds: ["import_error", "dag"], ids: 0 },
  warnings: { kinds: ["dag"], ids: 0, isPatient: true },
  "required-actions": { kinds: ["task_instance"], ids: 0, isPatient: true },
  history: { kinds: ["dag_run"], ids: 0, isPatient: true },
  failures: { kinds: ["dag_run"], ids: 0, isPatient: true },
  upcoming: { kinds: ["dag", "dag_run"], ids: 0, isPatient: true },
  "long-running": { kinds: ["task_instance"], ids: 0, isPatient: true },
  triggers: { kinds: ["task_instance"], ids: 0, isPatient: true },
  assets: { kinds: ["dag", "dag_run", "asset"], ids: 0, isPatient: true },
  // A tick begins to wait with a change of its DAG, and gets less to wait for with one of an asset.
  slots: { kinds: ["dag", "dag_run", "asset"], ids: 0, isPatient: true },
  deadlines: { kinds: ["dag_run"], ids: 0, isPatient: true },
  "all-runs": { kinds: ["dag_run"], ids: 0, isPatient: true },
  "all-tasks": { kinds: ["task_instance"], ids: 0, isPatient: true },
  xcoms: { kinds: ["task_instance"], ids: 0, isPatient: true },
};

/** Whether it is loaded anew at most every few seconds. */
export function isPatient([name]: QueryKey): boolean {
  return shown[String(name)]?.isPatient ?? false;
}

/** Whether what is kept under this key may show something that these changes are about. */
export function concerns([name, ...ids]: QueryKey, changes: Change[]): boolean {
  const what = shown[String(name)];
  if (what === undefined) return false;
  return changes.some(({ kind, dag_id, run_id }) => {
    const named = [dag_id, run_id].slice(0, what.ids);
    return what.kinds.includes(kind) && named.every((id, position) => id === undefined || id === ids[position]);
  });
}
