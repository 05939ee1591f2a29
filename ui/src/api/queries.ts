/** What is asked of the server, by the name under which the answers are kept. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";

import { api, data, type Schemas } from "./client";
import { gridChanges } from "./gridChanges";
import type { paths } from "./schema";

/** What lists of DAGs may be asked for. */
export type DagsParameters = Omit<NonNullable<paths["/ui/dags"]["get"]["parameters"]["query"]>, "limit" | "offset">;

/** How many DAGs are loaded at once. */
export const dagsAtOnce = 100;

/** A part of the list of DAGs, by its number: only what is in sight is loaded, and loaded anew. */
export const dagsQuery = (parameters: DagsParameters, part: number) =>
  queryOptions({
    queryKey: ["dags", parameters, part],
    queryFn: () =>
      data(
        api.GET("/ui/dags", {
          params: { query: { ...parameters, limit: dagsAtOnce, offset: part * dagsAtOnce } },
        }),
      ),
  });

export const latestRunsQuery = (dagIds: string[]) =>
  queryOptions({
    queryKey: ["latest-runs", dagIds],
    queryFn: () => data(api.GET("/ui/latest_runs", { params: { query: { dag_ids: dagIds, most: 14 } } })),
    enabled: dagIds.length > 0,
    placeholderData: keepPreviousData,
  });

export const dagQuery = (dagId: string) =>
  queryOptions({
    queryKey: ["dag", dagId],
    queryFn: () => data(api.GET("/api/v2/dags/{dag_id}", { params: { path: { dag_id: dagId } } })),
  });

/** Which runs of a DAG its grid shows. */
export type GridParameters = Pick<
  NonNullable<paths["/ui/grid/{dag_id}"]["get"]["parameters"]["query"]>,
  "most" | "before" | "state" | "run_type" | "triggered_by" | "run_after_gte" | "run_after_lt"
>;

export const gridQuery = (dagId: string, wanted: GridParameters) =>
  queryOptions({
    queryKey: ["grid", dagId, wanted],
    queryFn: ({ client, queryKey, signal }) =>
      gridChanges.load(
        queryKey,
        client.getQueryData<Schemas["GridResponse"]>(queryKey),
        (known) =>
          data(
            api.GET("/ui/grid/{dag_id}", {
              params: { path: { dag_id: dagId }, query: { ...wanted, ...known } },
              signal,
            }),
          ),
        () => signal.aborted,
      ),
    placeholderData: keepPreviousData,
  });

export interface TaskPlace {
  dagId: string;
  runId: string;
  taskId: string;
  mapIndex: number;
}

export const taskExplanationQuery = ({ dagId, runId, taskId, mapIndex }: TaskPlace) =>
  queryOptions({
    queryKey: ["task", dagId, runId, taskId, mapIndex, "why"],
    queryFn: () =>
      data(
        api.GET("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/explain", {
          params: {
            path: { dag_id: dagId, dag_run_id: runId, task_id: taskId },
            query: { map_index: mapIndex },
          },
        }),
      ),
  });

export const runExplanationQuery = (dagId: string, runId: string) =>
  queryOptions({
    queryKey: ["run", dagId, runId, "why"],
    queryFn: () =>
      data(
        api.GET("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/explain", {
          params: { path: { dag_id: dagId, dag_run_id: runId } },
        }),
      ),
  });

export const nextRunQuery = (dagId: string) =>
  queryOptions({
    queryKey: ["dag", dagId, "why"],
    queryFn: () => data(api.GET("/api/v2/dags/{dag_id}/explain", { params: { path: { dag_id: dagId } } })),
  });

export const healthQuery = queryOptions({
  queryKey: ["health"],
  queryFn: () => data(api.GET("/api/v2/monitor/health")),
  refetchInterval: 10_000,
});

export const meQuery = queryOptions({
  queryKey: ["me"],
  queryFn: () => data(api.GET("/auth/me")),
  staleTime: Infinity,
});

export const runsNowQuery = (state: "running" | "queued" | "failed") =>
  queryOptions({
    queryKey: ["runs", state],
    queryFn: () =>
      data(
        api.GET("/api/v2/dags/{dag_id}/dagRuns", {
          params: { path: { dag_id: "~" }, query: { state: [state], limit: 10, order_by: ["-id"] } },
        }),
      ),
  });

/** Of a version; of the current one, where none is named. */
export const graphQuery = (dagId: string, version?: number) =>
  queryOptions({
    queryKey: version === undefined ? ["graph", dagId] : ["graph", dagId, "version", version],
    queryFn: () =>
      data(
        api.GET("/ui/graph/{dag_id}", {
          params: { path: { dag_id: dagId }, query: version === undefined ? {} : { version } },
        }),
      ),
  });
