/** What the views of a DAG ask of the server. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";

import { api, data, Refused, type Schemas } from "./client";

const everything = 100;

export const ganttQuery = (dagId: string, runId: string) =>
  queryOptions({
    queryKey: ["run", dagId, runId, "gantt"],
    queryFn: () =>
      data(api.GET("/ui/gantt/{dag_id}/{dag_run_id}", { params: { path: { dag_id: dagId, dag_run_id: runId } } })),
  });

/** How the tasks of these runs did, in the order of the ids. */
export const runTasksQuery = (dagId: string, runIds: string[]) =>
  queryOptions({
    queryKey: ["task-summaries", dagId, runIds],
    queryFn: () =>
      data(api.GET("/ui/task_summaries/{dag_id}", { params: { path: { dag_id: dagId }, query: { run_ids: runIds } } })),
    enabled: runIds.length > 0,
    placeholderData: keepPreviousData,
  });

/** How the tasks of the newest runs did; the newest is the last. */
export const latestTasksQuery = (dagId: string, most: number) =>
  queryOptions({
    queryKey: ["task-summaries", dagId, "newest", most],
    queryFn: () =>
      data(api.GET("/ui/task_summaries/{dag_id}", { params: { path: { dag_id: dagId }, query: { most } } })),
    placeholderData: keepPreviousData,
  });

export interface CalendarRange {
  first: string;
  last: string;
  zone: string;
  by: "day" | "hour";
}

export const calendarQuery = (dagId: string, range: CalendarRange) =>
  queryOptions({
    queryKey: ["calendar", dagId, range],
    queryFn: () => data(api.GET("/ui/calendar/{dag_id}", { params: { path: { dag_id: dagId }, query: { ...range } } })),
    placeholderData: keepPreviousData,
  });

export const comingQuery = (dagId: string, range: CalendarRange) =>
  queryOptions({
    queryKey: ["dag", dagId, "coming", range],
    queryFn: () =>
      data(api.GET("/ui/calendar/{dag_id}/coming", { params: { path: { dag_id: dagId }, query: { ...range } } })),
    placeholderData: keepPreviousData,
  });

export const dagDetailsQuery = (dagId: string) =>
  queryOptions({
    queryKey: ["dag", dagId, "details"],
    queryFn: () => data(api.GET("/api/v2/dags/{dag_id}/details", { params: { path: { dag_id: dagId } } })),
  });

export const versionsQuery = (dagId: string) =>
  queryOptions({
    queryKey: ["versions", dagId],
    queryFn: () =>
      data(
        api.GET("/api/v2/dags/{dag_id}/dagVersions", {
          params: { path: { dag_id: dagId }, query: { limit: everything, order_by: ["-version_number"] } },
        }),
      ),
  });

/** The file of a version; of the newest, where none is named. What a version was read from never changes. */
export const versionSourceQuery = (dagId: string, version: number | undefined) =>
  queryOptions({
    queryKey: ["source", dagId, version ?? "newest"],
    queryFn: async () => {
      const query = version === undefined ? {} : { version_number: version };
      const source = await data(api.GET("/api/v2/dagSources/{dag_id}", { params: { path: { dag_id: dagId }, query } }));
      return typeof source === "string" ? source : (source.content ?? "");
    },
  });

export const dagTasksQuery = (dagId: string) =>
  queryOptions({
    queryKey: ["graph", dagId, "tasks"],
    queryFn: () => data(api.GET("/api/v2/dags/{dag_id}/tasks", { params: { path: { dag_id: dagId } } })),
  });

/** What the author wrote about a task, in the version of a run. */
export const taskDocQuery = (dagId: string, runId: string, taskId: string) =>
  queryOptions({
    queryKey: ["run", dagId, runId, "doc", taskId],
    queryFn: () =>
      data(
        api.GET("/ui/task_doc/{dag_id}/{dag_run_id}/{task_id}", {
          params: { path: { dag_id: dagId, dag_run_id: runId, task_id: taskId } },
        }),
      ),
  });

/** A task as the newest version has it. */
export const dagTaskQuery = (dagId: string, taskId: string) =>
  queryOptions({
    queryKey: ["graph", dagId, "task", taskId],
    queryFn: () =>
      data(api.GET("/api/v2/dags/{dag_id}/tasks/{task_id}", { params: { path: { dag_id: dagId, task_id: taskId } } })),
  });

export const dagRunQuery = (dagId: string, runId: string) =>
  queryOptions({
    queryKey: ["run", dagId, runId, "itself"],
    queryFn: () =>
      data(
        api.GET("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}", {
          params: { path: { dag_id: dagId, dag_run_id: runId } },
        }),
      ),
  });

export interface RunFilter {
  state?: string | undefined;
  type?: string | undefined;
  /** Days in the chosen zone, as instants. */
  after?: string | undefined;
  before?: string | undefined;
  /** A part of the id. */
  id?: string | undefined;
}

export const dagRunsPage = async (dagId: string, filter: RunFilter, offset: number, limit: number) => {
  const found = await data(
    api.GET("/api/v2/dags/{dag_id}/dagRuns", {
      params: {
        path: { dag_id: dagId },
        query: {
          offset,
          limit,
          order_by: ["-run_after"],
          ...(filter.state && { state: [filter.state] }),
          ...(filter.type && { run_type: [filter.type] }),
          ...(filter.after && { run_after_gte: filter.after }),
          ...(filter.before && { run_after_lt: filter.before }),
          ...(filter.id && { run_id_pattern: filter.id }),
        },
      },
    }),
  );
  return { rows: found.dag_runs, total: found.total_entries ?? 0 };
};

export const backfillsQuery = (dagId: string) =>
  queryOptions({
    queryKey: ["backfills", dagId],
    queryFn: () =>
      data(api.GET("/api/v2/backfills", { params: { query: { dag_id: dagId, limit: 50, order_by: ["-id"] } } })),
  });

export const backfillProgressQuery = (dagId: string, id: number) =>
  queryOptions({
    queryKey: ["backfills", dagId, id, "progress"],
    queryFn: () => data(api.GET("/api/v2/backfills/{backfill_id}/progress", { params: { path: { backfill_id: id } } })),
  });

export type Backfill = Schemas["BackfillResponse"];

export const producedEventsQuery = (dagId: string) =>
  queryOptions({
    queryKey: ["asset-events", dagId, "produced"],
    queryFn: () =>
      data(
        api.GET("/api/v2/assets/events", {
          params: { query: { source_dag_id: dagId, limit: 50, order_by: ["-timestamp"] } },
        }),
      ),
  });

/** Updates that wait for the DAG, with the names of their assets. Airflow's clients are told 404 where there is none. */
export const queuedEventsQuery = (dagId: string) =>
  queryOptions({
    queryKey: ["asset-events", dagId, "queued"],
    queryFn: async () => {
      const assets = await data(
        api.GET("/api/v2/assets", { params: { query: { dag_ids: [dagId], limit: everything } } }),
      );
      const names = new Map(assets.assets.map(({ id, name }) => [id, name]));
      try {
        const queued = await data(
          api.GET("/api/v2/dags/{dag_id}/assets/queuedEvents", { params: { path: { dag_id: dagId } } }),
        );
        return queued.queued_events.map(({ asset_id, created_at }) => ({
          name: names.get(asset_id) ?? `asset ${asset_id}`,
          created_at,
        }));
      } catch (error) {
        if (error instanceof Refused && error.status === 404) return [];
        throw error;
      }
    },
  });

const anyAsset = "%";
/** With a cursor the server counts no more than a thousand of them, and nobody looks at their number. */
const firstPage = "";

/** What the newest run that assets brought about was made for: also one that waited for its time, or of a backfill. */
export const consumedEventsQuery = (dagId: string) =>
  queryOptions({
    queryKey: ["asset-events", dagId, "consumed"],
    queryFn: async () => {
      const { dag_runs: runs } = await data(
        api.GET("/api/v2/dags/{dag_id}/dagRuns", {
          params: {
            path: { dag_id: dagId },
            query: { consuming_asset_pattern: anyAsset, limit: 1, order_by: ["-run_after"], cursor: firstPage },
          },
        }),
      );
      const run = runs[0]?.dag_run_id;
      if (run === undefined) return { run: undefined, events: [] };
      const found = await data(
        api.GET("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/upstreamAssetEvents", {
          params: { path: { dag_id: dagId, dag_run_id: run } },
        }),
      );
      return { run, events: found.asset_events };
    },
  });

/** The runs to choose from, the newest last. */
export const recentRunsQuery = (dagId: string) =>
  queryOptions({
    queryKey: ["dag-runs", dagId, "recent"],
    queryFn: async () => {
      const found = await data(api.GET("/ui/latest_runs", { params: { query: { dag_ids: [dagId], most: 50 } } }));
      return found.dags[dagId] ?? [];
    },
  });

const failuresLooked = 100;

/** The latest task instances that failed, and how many did at all. */
export const failedTasksQuery = (dagId: string) =>
  queryOptions({
    queryKey: ["task-summaries", dagId, "failed"],
    queryFn: async () => {
      const found = await data(
        api.GET("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances", {
          params: {
            path: { dag_id: dagId, dag_run_id: "~" },
            query: { state: ["failed"], order_by: ["-run_after"], limit: failuresLooked },
          },
        }),
      );
      return { rows: found.task_instances, total: found.total_entries ?? found.task_instances.length };
    },
  });

/** How one task, or those of a group, did in the newest runs; the newest is the last. */
export const historyQuery = (dagId: string, which: { task: string } | { group: string }) =>
  queryOptions({
    queryKey: ["task-summaries", dagId, "history", which],
    queryFn: () =>
      data(
        api.GET("/ui/task_summaries/{dag_id}", {
          params: {
            path: { dag_id: dagId },
            query: { most: 50, ...("task" in which ? { task_ids: [which.task] } : { group_id: which.group }) },
          },
        }),
      ),
  });
