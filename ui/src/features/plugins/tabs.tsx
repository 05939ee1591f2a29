/** Views of plugins about a DAG, a run, a task or a task instance: tabs beside ours, and links. */
import { type Destination, usePluginViews } from "~/api/pluginViews";
import type { MoreTab } from "~/components/Tabs";

import { Icon } from "./Icon";
import { PluginContent } from "./PluginContent";
import { PluginLink } from "./PluginLink";
import styles from "./Plugins.module.css";
import { type Place, tabOfView } from "./views.model";

export function usePluginTabs(destination: Destination, place: Place): MoreTab[] {
  return usePluginViews(destination)
    .filter(({ kind }) => kind !== "link")
    .map((view) => ({
      name: tabOfView(view),
      title: (
        <>
          <Icon view={view} /> {view.name}
        </>
      ),
      content: <PluginContent key={tabOfView(view)} view={view} place={place} />,
    }));
}

export function PluginLinks({ destination, place }: { destination: Destination; place: Place }) {
  const views = usePluginViews(destination).filter(({ kind }) => kind === "link");
  return views.map((view) => (
    <span key={`${view.plugin} ${view.name}`} className={styles.link}>
      <PluginLink view={view} place={place} />
    </span>
  ));
}
