/** What is asked of the server for the pages around DAGs: overview, search, assets, administration. */
import { keepPreviousData, queryOptions } from "@tanstack/react-query";

import { api, data } from "./client";
import type { paths } from "./schema";

const day = 86_400_000;

export const favoritesQuery = queryOptions({
  queryKey: ["favorites"],
  queryFn: async () => new Set((await data(api.GET("/ui/favorites"))).dag_ids),
});

export const tagsQuery = queryOptions({
  queryKey: ["dag-tags"],
  queryFn: async () => (await data(api.GET("/api/v2/dagTags", { params: { query: { limit: 100 } } }))).tags,
  staleTime: 60_000,
});

/** Owners and bundles of DAGs. */
export const dagChoicesQuery = queryOptions({
  queryKey: ["dag-choices"],
  queryFn: () => data(api.GET("/ui/dag_choices")),
  staleTime: 60_000,
});

/** Runs that failed within a day. */
export const failuresQuery = queryOptions({
  queryKey: ["failures"],
  queryFn: () =>
    data(api.GET("/ui/failures", { params: { query: { since: new Date(Date.now() - day).toISOString() } } })),
  refetchInterval: 60_000,
});

type Period = NonNullable<NonNullable<paths["/ui/history/runs"]["get"]["parameters"]["query"]>["period"]>;

/** How runs of a period ended, and those that go on. */
export const runHistoryQuery = (period: Period) =>
  queryOptions({
    queryKey: ["history", "runs", period],
    queryFn: () => data(api.GET("/ui/history/runs", { params: { query: { period } } })),
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  });

/** The tasks of the same runs. There may be many: only every minute. */
export const taskHistoryQuery = (period: Period) =>
  queryOptions({
    queryKey: ["task-history", period],
    queryFn: () => data(api.GET("/ui/history/tasks", { params: { query: { period } } })),
    placeholderData: keepPreviousData,
    refetchInterval: 60_000,
  });

/** What the people who run the deployment have to say. */
export const alertsQuery = queryOptions({
  queryKey: ["alerts"],
  queryFn: async () => (await data(api.GET("/ui/alerts"))).alerts,
  refetchInterval: 60_000,
});

/** DAGs that make runs by themselves, the next one first. */
export const upcomingQuery = queryOptions({
  queryKey: ["upcoming"],
  queryFn: async () => {
    const query = { paused: false, order_by: ["next_dagrun_run_after"], limit: 8 };
    const { dags } = await data(api.GET("/api/v2/dags", { params: { query } }));
    return dags.filter(({ next_dagrun_run_after: at }) => at !== null);
  },
  refetchInterval: 60_000,
});

/** DAGs that whoever looks likes. */
export const favoriteDagsQuery = queryOptions({
  queryKey: ["favorites", "dags"],
  queryFn: () =>
    data(
      api.GET("/api/v2/dags", { params: { query: { is_favorite: true, order_by: ["dag_display_name"], limit: 6 } } }),
    ),
});

/** The newest updates of assets. */
export const assetUpdatesQuery = queryOptions({
  queryKey: ["assets", "updates"],
  queryFn: () => data(api.GET("/api/v2/assets/events", { params: { query: { order_by: ["-timestamp"], limit: 5 } } })),
});

/** Tasks that run the longest. */
export const longRunningQuery = queryOptions({
  queryKey: ["long-running"],
  queryFn: () =>
    data(
      api.GET("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances", {
        params: {
          path: { dag_id: "~", dag_run_id: "~" },
          query: { state: ["running"], order_by: ["start_date"], limit: 6 },
        },
      }),
    ),
});

export const poolsQuery = queryOptions({
  queryKey: ["pools", "all"],
  queryFn: () => data(api.GET("/api/v2/pools", { params: { query: { limit: 100 } } })),
});

/** Processes that were heard of lately. */
export const livingQuery = queryOptions({
  queryKey: ["jobs", "living"],
  queryFn: async () =>
    (await data(api.GET("/api/v2/jobs", { params: { query: { is_alive: true, limit: 100 } } }))).jobs,
  refetchInterval: 30_000,
});

export const importErrorsQuery = queryOptions({
  queryKey: ["import-errors", "newest"],
  queryFn: () => data(api.GET("/api/v2/importErrors", { params: { query: { limit: 5, order_by: ["-timestamp"] } } })),
});

export const pluginErrorsCountQuery = queryOptions({
  queryKey: ["plugin-errors", "count"],
  queryFn: async () => (await data(api.GET("/api/v2/plugins/importErrors"))).total_entries,
});

export const warningsCountQuery = queryOptions({
  queryKey: ["warnings", "count"],
  queryFn: async () => (await data(api.GET("/ui/warnings", { params: { query: { limit: 0 } } }))).total_entries,
});

/** What tasks ask people, and nobody has answered. */
export const requiredActionsCountQuery = queryOptions({
  queryKey: ["required-actions", "count"],
  queryFn: async () =>
    (
      await data(
        api.GET("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/hitlDetails", {
          params: {
            path: { dag_id: "~", dag_run_id: "~" },
            query: { response_received: false, state: ["awaiting_input", "deferred"], limit: 0 },
          },
        }),
      )
    ).total_entries,
});

/** Triggers that wait, of which so many have held up others. */
export const triggersCountQuery = queryOptions({
  queryKey: ["triggers", "count"],
  queryFn: async () => {
    const count = async (query: { limit: 0; has_blocked?: boolean }) =>
      (await data(api.GET("/ui/triggers", { params: { query } }))).total_entries;
    const [all, blocked] = await Promise.all([count({ limit: 0 }), count({ limit: 0, has_blocked: true })]);
    return { all, blocked };
  },
});

/** A few DAGs by a part of their name. */
export const dagSearchQuery = (text: string) =>
  queryOptions({
    queryKey: ["dags", "search", text],
    queryFn: async () => {
      const query = { limit: 8, ...(text && { dag_id_pattern: `%${text}%` }) };
      return (await data(api.GET("/api/v2/dags", { params: { query } }))).dags;
    },
  });

/** A few runs by how their id begins. */
export const runSearchQuery = (text: string) =>
  queryOptions({
    queryKey: ["runs", "search", text],
    queryFn: async () => {
      const query = { limit: 8, run_id_prefix_pattern: text, order_by: ["-run_after"] };
      const params = { path: { dag_id: "~" }, query };
      return (await data(api.GET("/api/v2/dags/{dag_id}/dagRuns", { params }))).dag_runs;
    },
    enabled: text.length >= 3,
  });

/** A few tasks and groups of all DAGs by parts of their names. */
export const taskSearchQuery = (text: string) =>
  queryOptions({
    queryKey: ["dags", "tasks", text],
    queryFn: async () => (await data(api.GET("/ui/tasks", { params: { query: { text, limit: 12 } } }))).tasks,
    enabled: text.length >= 2,
    placeholderData: keepPreviousData,
  });

export const assetQuery = (assetId: number) =>
  queryOptions({
    queryKey: ["assets", assetId],
    queryFn: () => data(api.GET("/api/v2/assets/{asset_id}", { params: { path: { asset_id: assetId } } })),
  });

/** Of the DAGs that wait for an asset, those that wait for a time as well. */
export const gatedDagsQuery = (assetName: string) =>
  queryOptions({
    queryKey: ["dags", "gated", assetName],
    queryFn: async () => {
      const query = { asset_dependency: assetName, timetable_type: ["AssetAndTimeSchedule"], limit: 100 };
      const { dags } = await data(api.GET("/api/v2/dags", { params: { query } }));
      return new Set(dags.map(({ dag_id }) => dag_id));
    },
  });

export const assetGraphQuery = (assetId: number | undefined) =>
  queryOptions({
    queryKey: ["assets", "graph", assetId ?? null],
    queryFn: () =>
      data(api.GET("/ui/asset_graph", { params: { query: assetId === undefined ? {} : { asset_id: assetId } } })),
  });

export const rolesQuery = queryOptions({
  queryKey: ["roles"],
  queryFn: async () => (await data(api.GET("/auth/roles"))).roles,
});
