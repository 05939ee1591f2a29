import { api, data, type Schemas } from "~/api/client";

/** Ask for a run, and let its DAG go on if it shall. */
export async function trigger(
  dagId: string,
  body: Schemas["TriggerDAGRunPostBody"],
  unpauses: boolean,
): Promise<Schemas["DAGRunResponse"]> {
  const params = { path: { dag_id: dagId } };
  const run = await data(api.POST("/api/v2/dags/{dag_id}/dagRuns", { params, body }));
  // Afterwards: a run that is refused must not leave a DAG that runs.
  if (unpauses) await data(api.PATCH("/api/v2/dags/{dag_id}", { params, body: { is_paused: false } }));
  return run;
}
