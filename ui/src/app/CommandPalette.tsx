import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useNavigate, useRouterState } from "@tanstack/react-router";
import { useDeferredValue, useState } from "react";

import { dagSearchQuery, runSearchQuery, taskSearchQuery } from "~/api/around";
import { useMay } from "~/api/permissions";
import { type PluginView, pluginViewsQuery } from "~/api/pluginViews";
import { type Command, fitting } from "~/features/palette/palette.model";
import { Palette } from "~/features/palette/Palette";
import { addressOf, isElsewhere } from "~/features/plugins/views.model";
import { changeSettings, type Theme, useSettings } from "~/lib/settings";

import { fullGroups, viewsOfUser } from "./navigation.model";

const themes: Theme[] = ["light", "dark", "system"];

/** Pages, DAGs, runs, tasks of all DAGs, and what can be done, by their names. */
export function CommandPalette({ onShortcuts, onClose }: { onShortcuts: () => void; onClose: () => void }) {
  const [query, setQuery] = useState("");
  const asked = useDeferredValue(query.trim());
  const pages = usePages();
  const dags = useDags(asked);
  const runs = useRuns(asked);
  const tasks = useTasks(asked);
  const actions = useActions(onShortcuts);
  const found = new Set([...dags.commands, ...runs.commands, ...tasks.commands]);
  const commands = fitting([...pages, ...found, ...actions], query, (each) => found.has(each));
  return (
    <Palette
      query={query}
      commands={commands}
      isSearching={dags.isSearching || runs.isSearching || tasks.isSearching}
      onQuery={setQuery}
      onClose={onClose}
    />
  );
}

function usePages(): Command[] {
  const navigate = useNavigate();
  const may = useMay();
  const { data: views = [] } = useQuery(pluginViewsQuery);
  const openView = (view: PluginView) => {
    const address = addressOf(view);
    if (view.route !== null) void navigate({ to: "/plugin/$route", params: { route: view.route } });
    else if (address !== undefined && isElsewhere(address)) window.open(address, "_blank", "noopener,noreferrer");
    else if (address !== undefined) window.location.assign(address);
  };
  const ofView = (view: PluginView): Command => ({
    id: `view ${view.plugin} ${view.name}`,
    kind: "Page",
    title: view.name,
    detail: view.plugin,
    also: "plugin",
    run: () => {
      openView(view);
    },
  });
  const grouped = fullGroups(may, views).flatMap(({ title: group, pages, documents, views: added }): Command[] => [
    ...pages.map(({ to, title, also = "" }) => ({
      id: `page ${to}`,
      kind: "Page" as const,
      title,
      ...(group && { detail: group }),
      also,
      run: () => void navigate({ to }),
    })),
    ...documents.map(({ href, title, also }) => ({
      id: `page ${href}`,
      kind: "Page" as const,
      title,
      detail: group,
      also,
      run: () => {
        window.location.assign(href);
      },
    })),
    ...added.map(ofView),
  ]);
  return [...grouped, ...viewsOfUser(views).map(ofView)];
}

interface Found {
  commands: Command[];
  isSearching: boolean;
}

function useDags(text: string): Found {
  const navigate = useNavigate();
  const may = useMay();
  const { data = [], isFetching } = useQuery({ ...dagSearchQuery(text), placeholderData: keepPreviousData });
  const commands = data.flatMap(({ dag_id: dagId, dag_display_name: title, is_paused: isPaused }): Command[] => {
    const open: Command = {
      id: `dag ${dagId}`,
      kind: "DAG",
      title,
      ...(isPaused && { detail: "paused" }),
      run: () => void navigate({ to: "/dags/$dagId", params: { dagId } }),
    };
    if (!text || !may("edit", "DAG", dagId).isAllowed) return [open];
    const trigger: Command = {
      id: `trigger ${dagId}`,
      kind: "Action",
      title: `Trigger ${title}`,
      run: () => void navigate({ to: "/dags", search: { trigger: dagId } }),
    };
    return [open, trigger];
  });
  return { commands, isSearching: isFetching };
}

function useRuns(text: string): Found {
  const navigate = useNavigate();
  const { data = [], isFetching } = useQuery(runSearchQuery(text));
  const commands = data.map(({ dag_id: dagId, dag_run_id: runId, state }): Command => ({
    id: `run ${dagId} ${runId}`,
    kind: "Run",
    title: runId,
    detail: `${dagId}, ${state}`,
    run: () => void navigate({ to: "/dags/$dagId/runs/$runId", params: { dagId, runId } }),
  }));
  return { commands, isSearching: isFetching };
}

/** Of all DAGs; those of the DAG that is looked at come first. */
function useTasks(text: string): Found {
  const navigate = useNavigate();
  const shown = useRouterState({
    select: ({ matches }) => (matches.at(-1)?.params as { dagId?: string } | undefined)?.dagId,
  });
  const { data = [], isFetching } = useQuery(taskSearchQuery(text));
  const commands = (text === "" ? [] : data).map(
    ({ dag_id: dagId, node_id: task, label, is_group: isGroup }): Command => ({
      id: `task ${dagId} ${task}`,
      kind: isGroup ? "Group" : "Task",
      title: label,
      detail: dagId,
      isNear: dagId === shown,
      run: () =>
        void (isGroup
          ? navigate({ to: "/dags/$dagId/tasks/group/$groupId", params: { dagId, groupId: task } })
          : navigate({ to: "/dags/$dagId/tasks/$taskId", params: { dagId, taskId: task } })),
    }),
  );
  return { commands, isSearching: isFetching };
}

function useActions(onShortcuts: () => void): Command[] {
  const { isNavigationHidden } = useSettings();
  const action = (title: string, run: () => void, also = ""): Command => ({
    id: `action ${title}`,
    kind: "Action",
    title,
    also,
    run,
  });
  return [
    ...themes.map((theme) =>
      action(theme === "system" ? "Theme of the system" : `${theme === "dark" ? "Dark" : "Light"} theme`, () => {
        changeSettings({ theme });
      }),
    ),
    action(isNavigationHidden ? "Show the navigation" : "Hide the navigation", () => {
      changeSettings({ isNavigationHidden: !isNavigationHidden });
    }),
    action("Keyboard shortcuts", onShortcuts, "keys help"),
    action(
      "Log out",
      () => {
        window.location.assign("/auth/logout");
      },
      "sign",
    ),
  ];
}
