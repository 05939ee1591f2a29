import { createRoute, createRouter, lazyRouteComponent, redirect } from "@tanstack/react-router";

import { DagPage } from "~/routes/dag";
import { GridView } from "~/routes/dag/grid";
import { dagSearch } from "~/routes/dag/search.model";
import { views } from "~/routes/dag/views";
import { instanceSearch, tabOfPath } from "~/routes/instance/search.model";
import { pagesAround } from "./pages";
import { root } from "./root";

const dag = createRoute({
  getParentRoute: () => root,
  path: "/dags/$dagId",
  component: DagPage,
  validateSearch: dagSearch,
});

/** One view of a DAG each. Those that Airflow has too are called as there. */
const ofDag = () => dag;
const dagViews = [
  createRoute({ getParentRoute: ofDag, path: "/", component: GridView }),
  createRoute({ getParentRoute: ofDag, path: "/overview", component: views.overview }),
  createRoute({ getParentRoute: ofDag, path: "/graph", component: views.graph }),
  createRoute({ getParentRoute: ofDag, path: "/gantt", component: views.gantt }),
  createRoute({ getParentRoute: ofDag, path: "/calendar", component: views.calendar }),
  createRoute({ getParentRoute: ofDag, path: "/runs", component: views.runs }),
  createRoute({ getParentRoute: ofDag, path: "/tasks", component: views.tasks }),
  createRoute({ getParentRoute: ofDag, path: "/tasks/$taskId", component: views.task }),
  createRoute({ getParentRoute: ofDag, path: "/tasks/group/$groupId", component: views.group }),
  createRoute({ getParentRoute: ofDag, path: "/backfills", component: views.backfills }),
  createRoute({ getParentRoute: ofDag, path: "/asset_events", component: views.assetEvents }),
  createRoute({ getParentRoute: ofDag, path: "/events", component: views.events }),
  createRoute({ getParentRoute: ofDag, path: "/code", component: views.code }),
  createRoute({ getParentRoute: ofDag, path: "/details", component: views.details }),
  createRoute({ getParentRoute: ofDag, path: "/compare", component: views.compare }),
  createRoute({ getParentRoute: ofDag, path: "/plugin/$route", component: views.plugin }),
  createRoute({
    getParentRoute: ofDag,
    path: "/tasks/$taskId/plugin/$route",
    beforeLoad: ({ params: { dagId, taskId, route } }) => {
      const search = { tab: `plugin/${route}` };
      redirect({ to: "/dags/$dagId/tasks/$taskId", params: { dagId, taskId }, search, throw: true });
    },
  }),
] as const;

const run = createRoute({
  getParentRoute: () => root,
  path: "/dags/$dagId/runs/$runId",
  component: lazyRouteComponent(() => import("~/routes/instance/instance"), "RunPage"),
  validateSearch: instanceSearch,
});

const task = createRoute({
  getParentRoute: () => root,
  path: "/dags/$dagId/runs/$runId/tasks/$taskId",
  component: lazyRouteComponent(() => import("~/routes/instance/instance"), "TaskPage"),
  validateSearch: instanceSearch,
});

/** Airflow has the tab and the copy in the path. */
const runTab = createRoute({
  getParentRoute: () => root,
  path: "/dags/$dagId/runs/$runId/$tab",
  beforeLoad: ({ params: { dagId, runId, tab } }) => {
    redirect({
      to: "/dags/$dagId/runs/$runId",
      params: { dagId, runId },
      search: { tab: tabOfPath(tab) },
      throw: true,
    });
  },
});

const taskTab = createRoute({
  getParentRoute: () => root,
  path: "/dags/$dagId/runs/$runId/tasks/$taskId/$tab",
  validateSearch: instanceSearch,
  beforeLoad: ({ params: { tab, ...params }, search }) => {
    const wanted = tab === "mapped" ? search : { ...search, tab: tabOfPath(tab) };
    redirect({ to: "/dags/$dagId/runs/$runId/tasks/$taskId", params, search: wanted, throw: true });
  },
});

/** Tabs of plugins. */
const runPlugin = createRoute({
  getParentRoute: () => root,
  path: "/dags/$dagId/runs/$runId/plugin/$route",
  beforeLoad: ({ params: { route, ...params } }) => {
    redirect({ to: "/dags/$dagId/runs/$runId", params, search: { tab: `plugin/${route}` }, throw: true });
  },
});

const taskPlugin = createRoute({
  getParentRoute: () => root,
  path: "/dags/$dagId/runs/$runId/tasks/$taskId/plugin/$route",
  beforeLoad: ({ params: { route, ...params } }) => {
    const search = { tab: `plugin/${route}` };
    redirect({ to: "/dags/$dagId/runs/$runId/tasks/$taskId", params, search, throw: true });
  },
});

const copyPlugin = createRoute({
  getParentRoute: () => root,
  path: "/dags/$dagId/runs/$runId/tasks/$taskId/mapped/$mapIndex/plugin/$route",
  beforeLoad: ({ params: { mapIndex, route, ...params } }) => {
    const search = { map_index: Number(mapIndex), tab: `plugin/${route}` };
    redirect({ to: "/dags/$dagId/runs/$runId/tasks/$taskId", params, search, throw: true });
  },
});

const copy = createRoute({
  getParentRoute: () => root,
  path: "/dags/$dagId/runs/$runId/tasks/$taskId/mapped/$mapIndex",
  beforeLoad: ({ params: { mapIndex, ...params } }) => {
    const search = { map_index: Number(mapIndex) };
    redirect({ to: "/dags/$dagId/runs/$runId/tasks/$taskId", params, search, throw: true });
  },
});

const copyTab = createRoute({
  getParentRoute: () => root,
  path: "/dags/$dagId/runs/$runId/tasks/$taskId/mapped/$mapIndex/$tab",
  beforeLoad: ({ params: { mapIndex, tab, ...params } }) => {
    const search = { map_index: Number(mapIndex), tab: tabOfPath(tab) };
    redirect({ to: "/dags/$dagId/runs/$runId/tasks/$taskId", params, search, throw: true });
  },
});

const requiredActions = createRoute({
  getParentRoute: () => root,
  path: "/required_actions",
  component: lazyRouteComponent(() => import("~/routes/required_actions"), "RequiredActionsPage"),
  validateSearch: ({
    show,
    q,
  }: Record<string, unknown>): { show?: "open" | "answered" | "all"; q?: string | undefined } => ({
    ...((show === "open" || show === "answered" || show === "all") && { show }),
    ...(q !== undefined && q !== "" && { q: typeof q === "string" ? q : JSON.stringify(q) }),
  }),
});

const pages = [
  ...pagesAround,
  dag.addChildren(dagViews),
  run,
  task,
  runTab,
  taskTab,
  copy,
  copyTab,
  runPlugin,
  taskPlugin,
  copyPlugin,
  requiredActions,
] as const;

export const router = createRouter({ routeTree: root.addChildren(pages) });

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
