import { useQuery } from "@tanstack/react-query";
import { CatchBoundary, Link, Outlet, useNavigate, useParams, useRouterState, useSearch } from "@tanstack/react-router";
import { type KeyboardEvent, useMemo, useState } from "react";

import type { Schemas } from "~/api/client";
import { usePluginViews } from "~/api/pluginViews";
import { useIsKnown, useMay } from "~/api/permissions";
import { dagQuery } from "~/api/queries";
import { Stumbled } from "~/components/Stumbled";
import { Button } from "~/components/Button";
import { Can } from "~/components/Can";
import { Moment } from "~/components/Moment";
import { Failed } from "~/components/Failed";
import { Page } from "~/components/Page";
import { Scrolled } from "~/components/Scrolled";
import { DagMenu } from "~/features/dags/DagMenu";
import { PauseToggle } from "~/features/dags/PauseToggle";
import { Icon } from "~/features/plugins/Icon";
import { PluginLinks } from "~/features/plugins/tabs";
import { TriggerDialog } from "~/features/trigger/LazyTriggerDialog";
import { type Shortcut, useShortcuts } from "~/lib/shortcuts";

import styles from "./dag.module.css";
import { chosen, type DagSearch } from "./dag/search.model";

/** All that stands around the views of a DAG. */
export function DagPage() {
  const { dagId } = useParams({ from: "/dags/$dagId" });
  const address = useRouterState({ select: ({ location }) => location.href });
  const [isTriggering, setTriggering] = useState(false);
  const { data: dag, error } = useQuery(dagQuery(dagId));
  if (error) {
    return (
      <Page title={dagId}>
        <Failed title="This DAG cannot be shown" error={error}>
          <Link to="/dags">All DAGs</Link>
        </Failed>
      </Page>
    );
  }
  return (
    <Page
      title={dag?.dag_display_name ?? dagId}
      actions={
        dag && (
          <Actions
            dag={dag}
            onTrigger={() => {
              setTriggering(true);
            }}
          />
        )
      }
    >
      <div className={styles.row}>
        <Views dagId={dagId} />
        <div className={styles.links}>
          <PluginLinks destination="dag" place={{ dagId }} />
        </div>
      </div>
      {dag?.is_stale && (
        <p className={styles.gone} role="status">
          <strong>This DAG is in no file any more.</strong> Nothing runs it; its runs and logs can be looked at until
          somebody deletes it. It comes back with a file that has it.
        </p>
      )}
      <div className={styles.view}>
        <CatchBoundary getResetKey={() => address} errorComponent={Stumbled}>
          <Outlet />
        </CatchBoundary>
      </div>
      {isTriggering && (
        <TriggerDialog
          dagId={dagId}
          onClose={() => {
            setTriggering(false);
          }}
        />
      )}
    </Page>
  );
}

function Actions({ dag, onTrigger }: { dag: Schemas["DAGResponse"]; onTrigger: () => void }) {
  return (
    <>
      <span title={dag.timetable_description ?? undefined}>{dag.timetable_summary ?? "runs by hand"}</span>
      <span>
        next <Moment at={dag.is_paused ? null : dag.next_dagrun_run_after} />
      </span>
      <Can action="edit" resource="DAG" dagId={dag.dag_id} explain>
        <PauseToggle dagId={dag.dag_id} isPaused={dag.is_paused} />
      </Can>
      <Can action="edit" resource="DAG" dagId={dag.dag_id} explain>
        <Button kind="deed" onClick={onTrigger}>
          ▶ Trigger
        </Button>
      </Can>
      <DagMenu dag={dag} />
    </>
  );
}

const views = [
  ["/dags/$dagId", "Grid"],
  ["/dags/$dagId/overview", "Overview"],
  ["/dags/$dagId/graph", "Graph"],
  ["/dags/$dagId/gantt", "Gantt"],
  ["/dags/$dagId/calendar", "Calendar"],
  ["/dags/$dagId/runs", "Runs"],
  ["/dags/$dagId/tasks", "Tasks"],
  ["/dags/$dagId/backfills", "Backfills"],
  ["/dags/$dagId/asset_events", "Asset events"],
  ["/dags/$dagId/code", "Code"],
  ["/dags/$dagId/details", "Details"],
  // Not for everybody. At the end, it pushes nothing away when it comes.
  ["/dags/$dagId/events", "Audit log"],
] as const;

/** Links that look and behave like tabs: each view has its address. */
function Views({ dagId }: { dagId: string }) {
  const search = useSearch({ from: "/dags/$dagId" });
  const current = useRouterState({ select: ({ matches }) => matches.at(-1)?.fullPath });
  const may = useMay();
  const shown = views.filter(([to]) => !to.endsWith("/events") || may("read", "audit log").isAllowed);
  const path = current?.replace(/\/$/, "");
  const route = useRouterState({
    select: ({ matches }) => (matches.at(-1)?.params as { route?: string } | undefined)?.route,
  });
  useGridOrGraph(dagId, path);
  // After those of ours, of which the last waits for the same.
  const isKnown = useIsKnown();
  const plugins = usePluginViews("dag").filter(({ kind }) => isKnown && kind !== "link");
  return (
    <Scrolled chosen={`${path ?? ""} ${route ?? ""} ${shown.length} ${plugins.length}`}>
      <div className={styles.views} role="tablist" aria-label="Views" onKeyDown={moveFocus}>
        {shown.map(([to, title]) => (
          <Link
            key={to}
            to={to}
            params={{ dagId }}
            search={chosen(search)}
            role="tab"
            data-title={title}
            aria-selected={path === to || (to === "/dags/$dagId/tasks" && path?.startsWith(to))}
            activeOptions={{ exact: true }}
          >
            {title}
          </Link>
        ))}
        {plugins.map((view) => (
          <Link
            key={view.route}
            to="/dags/$dagId/plugin/$route"
            params={{ dagId, route: view.route ?? "" }}
            search={chosen(search)}
            role="tab"
            data-title={view.name}
            aria-selected={path === "/dags/$dagId/plugin/$route" && route === view.route}
          >
            <Icon view={view} /> {view.name}
          </Link>
        ))}
      </div>
    </Scrolled>
  );
}

/** One key leads from the grid to the graph, and back to the grid from wherever one is. What is chosen stays. */
function useGridOrGraph(dagId: string, path: string | undefined): void {
  const navigate = useNavigate();
  const isGrid = path === "/dags/$dagId";
  useShortcuts(
    useMemo(
      (): Shortcut[] => [
        {
          keys: "g",
          title: isGrid ? "Show the graph" : "Show the grid",
          group: "DAG",
          run: () => {
            void navigate({
              to: isGrid ? "/dags/$dagId/graph" : "/dags/$dagId",
              params: { dagId },
              search: (before: DagSearch) => chosen(before),
            });
          },
        },
      ],
      [dagId, isGrid, navigate],
    ),
  );
}

function moveFocus({ key, currentTarget, target }: KeyboardEvent): void {
  const step = key === "ArrowRight" ? 1 : key === "ArrowLeft" ? -1 : 0;
  if (step === 0 || !(target instanceof HTMLElement)) return;
  const tabs = [...currentTarget.querySelectorAll<HTMLElement>('[role="tab"]')];
  tabs.at((tabs.indexOf(target) + step) % tabs.length)?.focus();
}
