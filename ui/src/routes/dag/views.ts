/** The views of a DAG by their paths. The grid comes with the page; the others when somebody looks at them. */
import { lazyRouteComponent } from "@tanstack/react-router";

export const views = {
  overview: lazyRouteComponent(() => import("./overview"), "OverviewView"),
  graph: lazyRouteComponent(() => import("./graph"), "GraphView"),
  gantt: lazyRouteComponent(() => import("./gantt"), "GanttView"),
  calendar: lazyRouteComponent(() => import("./calendar"), "CalendarView"),
  runs: lazyRouteComponent(() => import("./runs"), "RunsView"),
  tasks: lazyRouteComponent(() => import("./tasks"), "TasksView"),
  task: lazyRouteComponent(() => import("./task"), "TaskHistoryView"),
  group: lazyRouteComponent(() => import("./task"), "GroupHistoryView"),
  backfills: lazyRouteComponent(() => import("./backfills"), "BackfillsView"),
  assetEvents: lazyRouteComponent(() => import("./assetEvents"), "AssetEventsView"),
  events: lazyRouteComponent(() => import("./events"), "EventsView"),
  code: lazyRouteComponent(() => import("./code"), "CodeView"),
  details: lazyRouteComponent(() => import("./details"), "DetailsView"),
  plugin: lazyRouteComponent(() => import("./plugin"), "DagPluginView"),
  compare: lazyRouteComponent(() => import("./compare"), "CompareView"),
};
