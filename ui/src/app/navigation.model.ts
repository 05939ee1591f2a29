/** What the navigation shows. A new page is a line here; whoever may not read what it needs does not see it. */
import type { Action, Permission, Resource } from "~/api/permissions";
import type { PluginView } from "~/api/pluginViews";
import { type Instance, instance } from "~/lib/instance";

/** Numbers beside a page, by what they count. */
export type Counted = "importErrors" | "requiredActions" | "warnings";

interface PageLink<To extends string = string> {
  to: To;
  title: string;
  needs?: Resource;
  counts?: Counted;
  /** Pressed after `g`: leads there from everywhere. */
  key?: string;
  /** Where else it is shown: not in the navigation, which has to fit a small screen. */
  isInUserMenu?: true;
  /** Other words by which people look for it. */
  also?: string;
}

interface Group<To extends string = string> {
  title: string;
  pages: readonly PageLink<To>[];
}

export const groups = [
  {
    title: "",
    pages: [
      { to: "/", title: "Overview", key: "o", also: "home dashboard health" },
      { to: "/dags", title: "DAGs", needs: "DAG", key: "d" },
      { to: "/assets", title: "Assets", needs: "asset", key: "a", also: "datasets aliases events" },
    ],
  },
  {
    title: "Browse",
    pages: [
      { to: "/dag_runs", title: "Runs", needs: "DAG", also: "dag runs history" },
      { to: "/task_instances", title: "Task instances", needs: "DAG", also: "tasks" },
      {
        to: "/required_actions",
        title: "Required actions",
        needs: "DAG",
        counts: "requiredActions",
        key: "r",
        also: "human in the loop questions approve",
      },
      { to: "/slots", title: "Waiting for assets", needs: "DAG", also: "slots ticks asset and time missing" },
      { to: "/deadlines", title: "Deadlines", needs: "DAG", also: "sla late missed alerts" },
      { to: "/triggers", title: "Triggers", needs: "DAG", key: "t", also: "deferred waiting triggerer" },
      { to: "/xcoms", title: "XComs", needs: "DAG", also: "values returned pushed" },
      { to: "/events", title: "Audit log", needs: "audit log", key: "l", also: "events history who" },
      { to: "/import_errors", title: "Import errors", needs: "import error", counts: "importErrors", key: "e" },
      { to: "/warnings", title: "Warnings", needs: "DAG", counts: "warnings", also: "lint dag warnings" },
    ],
  },
  {
    title: "Admin",
    pages: [
      { to: "/pools", title: "Pools", needs: "pool", key: "p", also: "slots" },
      { to: "/variables", title: "Variables", needs: "variable", key: "v" },
      { to: "/connections", title: "Connections", needs: "connection", key: "c" },
      { to: "/jobs", title: "Processes", needs: "job", also: "jobs schedulers workers" },
      { to: "/providers", title: "Providers", needs: "provider", also: "packages" },
      { to: "/plugins", title: "Plugins", needs: "plugin" },
      { to: "/configs", title: "Configuration", needs: "configuration", also: "config options settings" },
      { to: "/users", title: "Users", needs: "user", key: "u", also: "people accounts passwords" },
      { to: "/roles", title: "Roles", needs: "user" },
      {
        to: "/account",
        title: "Account",
        needs: "own account",
        isInUserMenu: true,
        also: "api tokens programs password me",
      },
    ],
  },
] as const satisfies readonly Group[];

export type PagePath = (typeof groups)[number]["pages"][number]["to"];

type May = (action: Action, resource: Resource) => Permission;

/** What is left for whoever may not read everything; groups without pages are not shown. */
export function visibleGroups(may: May): Group<PagePath>[] {
  const all: readonly Group<PagePath>[] = groups;
  return all
    .map(({ title, pages }) => ({
      title,
      pages: pages.filter(({ needs }) => needs === undefined || may("read", needs).isAllowed),
    }))
    .filter(({ pages }) => pages.length > 0);
}

/** What is read rather than worked with. */
export const documents = [
  { href: "/docs", title: "REST API reference", also: "openapi operations documentation" },
] as const;

/** A group with what plugins add to it. */
export interface FullGroup extends Group<PagePath> {
  documents: readonly (typeof documents)[number][];
  views: readonly PluginView[];
}

const docs = "Docs";
const plugins = "Plugins";

/** Where the settings of a person are. */
export function viewsOfUser(views: readonly PluginView[]): PluginView[] {
  return views.filter((view) => isInNavigation(view) && categoryOf(view) === "user");
}

/** The groups of the navigation with the views of plugins: in the group of their category, which may be a new one. */
export function fullGroups(
  may: May,
  views: readonly PluginView[],
  { hasApiReference }: Pick<Instance, "hasApiReference"> = instance,
): FullGroup[] {
  const shown = views.filter((view) => isInNavigation(view) && categoryOf(view) !== "user");
  const found: FullGroup[] = [
    ...visibleGroups(may)
      .map((group) => ({ ...group, pages: group.pages.filter((page) => page.isInUserMenu !== true) }))
      .filter(({ pages }) => pages.length > 0)
      .map((group) => ({ ...group, documents: [], views: [] })),
    ...(hasApiReference ? [{ title: docs, pages: [], documents, views: [] }] : []),
  ];
  for (const view of shown) {
    const title = view.is_top_level ? "" : (view.category ?? plugins);
    const at = found.findIndex((group) => group.title.toLowerCase() === title.trim().toLowerCase());
    const group = found[at];
    if (group !== undefined) found[at] = { ...group, views: [...group.views, view] };
    // Before what few people need each day.
    else found.splice(endOf(found), 0, { title: title.trim(), pages: [], documents: [], views: [view] });
  }
  return found;
}

/** Where groups of plugins end: before the administration. */
function endOf(found: readonly FullGroup[]): number {
  const end = found.findIndex(({ title }) => ["Admin", docs].includes(title));
  return end < 0 ? found.length : end;
}

function isInNavigation({ destination }: PluginView): boolean {
  return destination === "nav";
}

function categoryOf({ category, is_top_level: isTop }: PluginView): string | undefined {
  return isTop ? undefined : category?.trim().toLowerCase();
}
