/** What is asked about runs that wait for assets, and about deadlines. `~` stands for all DAGs. */
import { queryOptions } from "@tanstack/react-query";

import { api, data, type Schemas } from "./client";

export type Slot = Schemas["SlotResponse"];
export type Deadline = Schemas["DeadlineResponse"];
export type SlotState = Slot["state"];

const few = 6;

export const slotsPage = async (dagId: string, states: SlotState[], offset: number, limit: number) => {
  const query = { offset, limit, order_by: ["-run_after"], ...(states.length > 0 && { state: states }) };
  const found = await data(api.GET("/api/v2/dags/{dag_id}/slots", { params: { path: { dag_id: dagId }, query } }));
  return { rows: found.slots, total: found.total_entries };
};

export const waitingSlotsQuery = (dagId: string) =>
  queryOptions({
    queryKey: ["slots", dagId, "waiting"],
    queryFn: () => slotsPage(dagId, ["waiting"], 0, few),
    refetchInterval: 60_000,
  });

export const deadlinesPage = async (dagId: string, missed: boolean, offset: number, limit: number) => {
  // Of those that were missed the latest first; of the others the next one.
  const query = { offset, limit, missed, order_by: [missed ? "-missed_at" : "deadline_time"] };
  const params = { path: { dag_id: dagId, dag_run_id: "~" }, query };
  const found = await data(api.GET("/ui/dags/{dag_id}/dagRuns/{dag_run_id}/deadlines", { params }));
  return { rows: found.deadlines, total: found.total_entries };
};

export const deadlinesQuery = (dagId: string, missed: boolean) =>
  queryOptions({
    queryKey: ["deadlines", dagId, missed],
    queryFn: () => deadlinesPage(dagId, missed, 0, few),
    refetchInterval: 60_000,
  });

export const runDeadlinesQuery = (dagId: string, runId: string) =>
  queryOptions({
    queryKey: ["run", dagId, runId, "deadlines"],
    queryFn: async () => {
      const params = { path: { dag_id: dagId, dag_run_id: runId } };
      return (await data(api.GET("/ui/dags/{dag_id}/dagRuns/{dag_run_id}/deadlines", { params }))).deadlines;
    },
  });

export const deadlineAlertsQuery = (dagId: string) =>
  queryOptions({
    queryKey: ["dag", dagId, "deadline-alerts"],
    queryFn: async () =>
      (await data(api.GET("/ui/dags/{dag_id}/deadlineAlerts", { params: { path: { dag_id: dagId } } })))
        .deadline_alerts,
  });

/** Small values that attempts of a task, or tasks about an asset, leave for the next ones. */
export const taskStateQuery = (dagId: string, runId: string, taskId: string, mapIndex: number) =>
  queryOptions({
    queryKey: ["task", dagId, runId, taskId, mapIndex, "state-store"],
    queryFn: () =>
      data(
        api.GET("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/state-store", {
          params: {
            path: { dag_id: dagId, dag_run_id: runId, task_id: taskId },
            query: { map_index: mapIndex, limit: 100 },
          },
        }),
      ),
  });

export const assetStateQuery = (assetId: number) =>
  queryOptions({
    queryKey: ["assets", assetId, "state-store"],
    queryFn: () =>
      data(
        api.GET("/api/v2/assets/{asset_id}/state-store", {
          params: { path: { asset_id: assetId }, query: { limit: 100 } },
        }),
      ),
  });
