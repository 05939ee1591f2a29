/** What plugins add to the pages. */
import { queryOptions, useQuery } from "@tanstack/react-query";

import { api, data, type Schemas } from "./client";

export type PluginView = Schemas["PluginViewResponse"];
export type Destination = PluginView["destination"];

/** As long as the page is there: what it may load was said when it came. */
export const pluginViewsQuery = queryOptions({
  queryKey: ["plugin-views"],
  queryFn: async () => (await data(api.GET("/ui/plugin_views"))).views,
  staleTime: Infinity,
});

export const notShownQuery = queryOptions({
  queryKey: ["plugins", "not-shown"],
  queryFn: async () => (await data(api.GET("/ui/plugin_views/not_shown"))).not_shown,
});

/** Whether they are known, or cannot be: what they add would push other things away when it comes. */
export function useAreViewsKnown(): boolean {
  return !useQuery(pluginViewsQuery).isPending;
}

const none: PluginView[] = [];

/** Those of one place; none until they are known. */
export function usePluginViews(destination: Destination): PluginView[] {
  const { data: views = none } = useQuery(pluginViewsQuery);
  return views.filter((view) => view.destination === destination);
}
