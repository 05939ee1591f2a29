import { useQuery } from "@tanstack/react-query";
import { CatchBoundary } from "@tanstack/react-router";

import type { PluginView } from "~/api/pluginViews";
import { Failed } from "~/components/Failed";
import { Skeleton } from "~/components/Skeleton";

import { loadApp } from "./load";
import styles from "./Plugins.module.css";
import type { Place } from "./views.model";

/** A part of a plugin that runs in the page. If it stumbles, the rest of the page does not. */
export default function PluginApp({ view, place = {} }: { view: PluginView; place?: Place | undefined }) {
  const { data: app, error } = useQuery({
    queryKey: ["plugin-app", view.href],
    // A function would be taken for what makes the value.
    queryFn: async () => ({ Component: await loadApp(view.name, view.href) }),
    staleTime: Infinity,
    retry: false,
  });
  if (error) return <Failed title={`${view.name} of the plugin ${view.plugin} cannot be shown`} error={error} />;
  if (app === undefined) return <Skeleton />;
  const { mapIndex, ...names } = place;
  return (
    <CatchBoundary
      getResetKey={() => JSON.stringify([view.href, place])}
      errorComponent={({ error: stumbled }) => (
        <Failed
          title={`${view.name} of the plugin ${view.plugin} stumbled`}
          error={stumbled instanceof Error ? stumbled : new Error(String(stumbled))}
        />
      )}
    >
      <section className={styles.app} aria-label={view.name}>
        <app.Component {...names} {...(mapIndex !== undefined && { mapIndex: String(mapIndex) })} />
      </section>
    </CatchBoundary>
  );
}
