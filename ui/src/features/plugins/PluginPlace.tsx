import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { type Destination, pluginViewsQuery } from "~/api/pluginViews";
import { Failed } from "~/components/Failed";
import { Notice } from "~/components/Notice";
import { Skeleton } from "~/components/Skeleton";

import { PluginContent } from "./PluginContent";
import type { Place } from "./views.model";

interface Props {
  destinations: readonly Destination[];
  route: string;
  place?: Place;
  /** Where else to go. */
  children: ReactNode;
}

/** The view that an address names, or why there is none. */
export function PluginPlace({ destinations, route, place, children }: Props) {
  const { data: views, error } = useQuery(pluginViewsQuery);
  if (error) {
    return (
      <Failed title="The views of plugins could not be loaded" error={error}>
        {children}
      </Failed>
    );
  }
  if (views === undefined) return <Skeleton />;
  const view = views.find((each) => each.route === route && destinations.includes(each.destination));
  if (view === undefined) {
    return (
      <Notice isError title="No plugin has such a page">
        <p>The plugin may have been removed, or have another route now. The page “Plugins” says what is not shown.</p>
        {children}
      </Notice>
    );
  }
  return <PluginContent key={route} view={view} place={place} />;
}
