/** A view of a plugin that has a page for itself. */
import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";

import { pluginViewsQuery } from "~/api/pluginViews";
import { Page } from "~/components/Page";
import { PluginPlace } from "~/features/plugins/PluginPlace";

import styles from "./plugin.module.css";

const destinations = ["nav", "base", "dashboard"] as const;

export default function PluginPage() {
  const { route } = useParams({ from: "/plugin/$route" });
  const { data: views } = useQuery(pluginViewsQuery);
  const view = views?.find((each) => each.route === route && destinations.some((place) => place === each.destination));
  return (
    <Page title={view?.name ?? "Plugin"}>
      <div className={styles.room}>
        <PluginPlace destinations={destinations} route={route}>
          <Link to="/">Back to the overview</Link>
        </PluginPlace>
      </div>
    </Page>
  );
}
