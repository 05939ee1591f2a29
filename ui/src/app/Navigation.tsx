import { useQuery } from "@tanstack/react-query";
import { Link, useRouterState } from "@tanstack/react-router";

import { importErrorsQuery, requiredActionsCountQuery, warningsCountQuery } from "~/api/around";
import { useIsKnown, useMay } from "~/api/permissions";
import { type PluginView, pluginViewsQuery } from "~/api/pluginViews";
import { Icon } from "~/features/plugins/Icon";
import { PluginLink } from "~/features/plugins/PluginLink";
import { useInSight } from "~/lib/inSight";
import { changeSettings, useSettings } from "~/lib/settings";

import { type Counted, fullGroups } from "./navigation.model";
import styles from "./Navigation.module.css";

/** The pages, in groups that fold. */
export function Navigation({ onChosen }: { onChosen: () => void }) {
  const may = useMay();
  const isKnown = useIsKnown();
  const { data: views = [], isPending } = useQuery(pluginViewsQuery);
  // All of it at once: what plugins add would push other things away.
  const groups = !isKnown || isPending ? [] : fullGroups(may, views);
  const place = useRouterState({ select: ({ location }) => location.pathname });
  const list = useInSight<HTMLDivElement>('[aria-current="page"]', `${place} ${groups.length}`);
  const { folded } = useSettings();
  const counts = useCounts();
  return (
    <div ref={list} className={styles.groups}>
      {groups.map(({ title, pages, documents, views: added }) => {
        const isFolded = folded.includes(title);
        return (
          <section key={title} aria-label={title || "Main"}>
            {title && (
              <button
                type="button"
                className={styles.heading}
                aria-expanded={!isFolded}
                onClick={() => {
                  changeSettings({
                    folded: isFolded ? folded.filter((each) => each !== title) : [...folded, title],
                  });
                }}
              >
                {title}
              </button>
            )}
            {!isFolded && (
              <ul>
                {pages.map((page) => (
                  <li key={page.to}>
                    <Link to={page.to} activeOptions={{ exact: page.to === "/" }} onClick={onChosen}>
                      {page.title}
                      <Badge number={page.counts && counts[page.counts]} what={page.title} />
                    </Link>
                  </li>
                ))}
                {documents.map((document) => (
                  <li key={document.href}>
                    <a href={document.href}>{document.title}</a>
                  </li>
                ))}
                {added.map((view) => (
                  <li key={`${view.plugin} ${view.name}`}>
                    <Added view={view} onChosen={onChosen} />
                  </li>
                ))}
              </ul>
            )}
          </section>
        );
      })}
    </div>
  );
}

function Added({ view, onChosen }: { view: PluginView; onChosen: () => void }) {
  if (view.route === null) return <PluginLink view={view} />;
  return (
    <Link to="/plugin/$route" params={{ route: view.route }} onClick={onChosen}>
      <Icon view={view} /> {view.name}
    </Link>
  );
}

function useCounts(): Record<Counted, number | undefined> {
  const may = useMay();
  const seesDags = may("read", "DAG").isAllowed;
  const errors = useQuery({ ...importErrorsQuery, enabled: may("read", "import error").isAllowed });
  return {
    importErrors: errors.data?.total_entries,
    warnings: useQuery({ ...warningsCountQuery, enabled: seesDags }).data,
    requiredActions: useQuery({ ...requiredActionsCountQuery, enabled: seesDags }).data,
  };
}

function Badge({ number, what }: { number: number | undefined; what: string }) {
  if (!number) return null;
  return (
    <span className={styles.badge} title={`${number} ${what.toLowerCase()}`}>
      {number > 99 ? "99+" : number}
    </span>
  );
}
