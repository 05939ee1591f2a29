import { Link } from "@tanstack/react-router";

import { usePluginViews } from "~/api/pluginViews";
import { Card } from "~/components/Card";

import { Icon } from "./Icon";
import { PluginContent } from "./PluginContent";
import { PluginLink } from "./PluginLink";
import styles from "./Plugins.module.css";

/** What plugins add to the overview. */
export function PluginCards() {
  const views = usePluginViews("dashboard");
  const links = views.filter(({ kind }) => kind === "link");
  if (views.length === 0) return null;
  return (
    <div className={styles.cards}>
      {views
        .filter(({ kind }) => kind !== "link")
        .map((view) => (
          <Card
            key={`${view.plugin} ${view.name}`}
            title={view.name}
            more={
              view.route !== null && (
                <Link to="/plugin/$route" params={{ route: view.route }}>
                  With more room
                </Link>
              )
            }
          >
            <PluginContent view={view} />
          </Card>
        ))}
      {links.length > 0 && (
        <Card title="Elsewhere">
          <ul className={styles.links}>
            {links.map((view) => (
              <li key={`${view.plugin} ${view.name}`}>
                <PluginLink view={view} />
              </li>
            ))}
          </ul>
        </Card>
      )}
    </div>
  );
}

/** What plugins add below every page. */
export function PluginStrip() {
  const views = usePluginViews("base");
  if (views.length === 0) return null;
  return (
    <aside className={styles.strip} aria-label="Plugins">
      {views.map((view) => (
        <div key={`${view.plugin} ${view.name}`}>
          {view.kind === "react" ? (
            <PluginContent view={view} />
          ) : view.route === null ? (
            <PluginLink view={view} />
          ) : (
            <Link to="/plugin/$route" params={{ route: view.route }}>
              <Icon view={view} /> {view.name}
            </Link>
          )}
        </div>
      ))}
    </aside>
  );
}
