/** Pages around DAGs. All but the overview and the list of DAGs are loaded when somebody goes there. */
import { createRoute, lazyRouteComponent, redirect } from "@tanstack/react-router";

import { parseEventsSearch } from "~/features/admin/events.model";
import { parseAssetsSearch } from "~/features/assets/views.model";
import { parseBrowseSearch } from "~/features/browse/browse.model";
import { parseDagsSearch } from "~/features/dags/list.model";
import { parseHomeSearch } from "~/features/home/history.model";
import { parseDeadlinesSearch, parseSlotsSearch } from "~/features/waiting/waiting.model";
import { DagsPage } from "~/routes/dags";
import { HomePage } from "~/routes/home";

import { root } from "./root";

const getParentRoute = () => root;
const records = () => import("~/routes/records");
const browse = () => import("~/routes/browse");
const waiting = () => import("~/routes/waiting");
const system = () => import("~/routes/system");

interface TriggersSearch {
  which?: "blocked" | "quarantined";
}

function parseTriggersSearch({ which }: Record<string, unknown>): TriggersSearch {
  return which === "blocked" || which === "quarantined" ? { which } : {};
}

export const pagesAround = [
  createRoute({ getParentRoute, path: "/", component: HomePage, validateSearch: parseHomeSearch }),
  createRoute({ getParentRoute, path: "/dags", component: DagsPage, validateSearch: parseDagsSearch }),
  createRoute({
    getParentRoute,
    path: "/assets",
    component: lazyRouteComponent(() => import("~/routes/assets")),
    validateSearch: parseAssetsSearch,
  }),
  createRoute({
    getParentRoute,
    path: "/assets/$assetId",
    component: lazyRouteComponent(() => import("~/routes/asset")),
  }),
  createRoute({
    getParentRoute,
    path: "/triggers",
    component: lazyRouteComponent(() => import("~/routes/triggers")),
    validateSearch: parseTriggersSearch,
  }),
  createRoute({
    getParentRoute,
    path: "/dag_runs",
    component: lazyRouteComponent(browse, "DagRunsPage"),
    validateSearch: parseBrowseSearch,
  }),
  createRoute({
    getParentRoute,
    path: "/task_instances",
    component: lazyRouteComponent(browse, "TaskInstancesPage"),
    validateSearch: parseBrowseSearch,
  }),
  createRoute({
    getParentRoute,
    path: "/xcoms",
    component: lazyRouteComponent(() => import("~/routes/xcoms"), "XComsPage"),
    validateSearch: parseBrowseSearch,
  }),
  createRoute({
    getParentRoute,
    path: "/slots",
    component: lazyRouteComponent(waiting, "SlotsPage"),
    validateSearch: parseSlotsSearch,
  }),
  createRoute({
    getParentRoute,
    path: "/deadlines",
    component: lazyRouteComponent(waiting, "DeadlinesPage"),
    validateSearch: parseDeadlinesSearch,
  }),
  createRoute({
    getParentRoute,
    path: "/events",
    component: lazyRouteComponent(records, "EventsPage"),
    validateSearch: parseEventsSearch,
  }),
  createRoute({ getParentRoute, path: "/import_errors", component: lazyRouteComponent(records, "ImportErrorsPage") }),
  createRoute({ getParentRoute, path: "/warnings", component: lazyRouteComponent(records, "WarningsPage") }),
  createRoute({
    getParentRoute,
    path: "/pools",
    component: lazyRouteComponent(() => import("~/routes/pools"), "PoolsPage"),
  }),
  createRoute({
    getParentRoute,
    path: "/variables",
    component: lazyRouteComponent(() => import("~/routes/variables"), "VariablesPage"),
  }),
  createRoute({
    getParentRoute,
    path: "/connections",
    component: lazyRouteComponent(() => import("~/routes/connections"), "ConnectionsPage"),
  }),
  createRoute({ getParentRoute, path: "/jobs", component: lazyRouteComponent(system, "JobsPage") }),
  createRoute({ getParentRoute, path: "/providers", component: lazyRouteComponent(system, "ProvidersPage") }),
  createRoute({ getParentRoute, path: "/plugins", component: lazyRouteComponent(system, "PluginsPage") }),
  createRoute({ getParentRoute, path: "/configs", component: lazyRouteComponent(system, "ConfigsPage") }),
  createRoute({ getParentRoute, path: "/users", component: lazyRouteComponent(() => import("~/routes/users")) }),
  createRoute({ getParentRoute, path: "/roles", component: lazyRouteComponent(() => import("~/routes/roles")) }),
  createRoute({ getParentRoute, path: "/account", component: lazyRouteComponent(() => import("~/routes/account")) }),
  createRoute({
    getParentRoute,
    path: "/plugin/$route",
    component: lazyRouteComponent(() => import("~/routes/plugin")),
  }),
  // Where Airflow has them.
  createRoute({
    getParentRoute,
    path: "/security/$page",
    beforeLoad: ({ params: { page } }) => {
      redirect({ to: page === "roles" ? "/roles" : "/users", throw: true });
    },
  }),
] as const;
