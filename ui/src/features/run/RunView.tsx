import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { api, data, type Schemas } from "~/api/client";
import { recentRunsQuery } from "~/api/dagQueries";
import { runQuery } from "~/api/instanceQueries";
import { useIsKnown, useMay } from "~/api/permissions";
import { runExplanationQuery } from "~/api/queries";
import { AuditTable } from "~/components/AuditTable";
import { CodeLink } from "~/components/CodeLink";
import { Facts, when } from "~/components/Facts";
import { JsonView } from "~/components/JsonView";
import { Moment } from "~/components/Moment";
import { Note } from "~/components/Note";
import { Failed } from "~/components/Failed";
import { Skeleton } from "~/components/Skeleton";
import { State } from "~/components/State";
import { type MoreTab, TabsAndMore } from "~/components/Tabs";
import { useNow } from "~/lib/now";
import { between, duration } from "~/lib/time";
import { type TimedRun, usualSeconds } from "~/lib/usual";

import { originOf, type RunTab, runTabs, tabOf, versionsOf } from "./run.model";
import { RunEvents } from "./RunEvents";
import styles from "./RunView.module.css";

interface Props {
  dagId: string;
  runId: string;
  tab: string | undefined;
  onTab: (tab: string) => void;
  actions: ReactNode;
  /** Above the tabs, as long as it has not ended. */
  explain: (why: Schemas["RunExplanationResponse"]) => ReactNode;
  tasks: ReactNode;
  /** Until when it has to be over. */
  deadlines?: ReactNode;
  more?: readonly MoreTab[];
}

/** All about one run. */
export function RunView({ dagId, runId, tab, onTab, actions, explain, tasks, deadlines, more }: Props) {
  const may = useMay();
  const { data: run, error } = useQuery(runQuery(dagId, runId));
  const isOver = run?.state === "success" || run?.state === "failed";
  const isKnown = useIsKnown();
  const { data: others, isLoading: isComparing } = useQuery(recentRunsQuery(dagId));
  const { data: why, isLoading: isExplaining } = useQuery({
    ...runExplanationQuery(dagId, runId),
    enabled: run !== undefined && !isOver,
  });
  if (error)
    return (
      <Failed title="The run could not be loaded" error={error}>
        <Link to="/dags/$dagId/runs" params={{ dagId }}>
          All runs of {dagId}
        </Link>
      </Failed>
    );
  if (run === undefined || isExplaining || isComparing || !isKnown) return <Skeleton />;
  const tabs = runTabs.filter(([name]) => name !== "audit_log" || may("read", "audit log").isAllowed);
  const chosen = tabOf(tab);
  return (
    <section className={styles.run} aria-label={`Run ${runId}`}>
      <header>
        <h2>{runId}</h2>
        <State state={run.state} />
        <div className={styles.actions}>{actions}</div>
      </header>
      <Times run={run} others={others} />
      <RunNote run={run} />
      {!isOver && why && explain(why)}
      {deadlines}
      <TabsAndMore label="About the run" tabs={tabs} chosen={chosen} wanted={tab} more={more} onChoose={onTab}>
        <div className={styles.tab}>{contentOf(chosen, run, tasks)}</div>
      </TabsAndMore>
    </section>
  );
}

type Run = Schemas["DAGRunResponse"];

function contentOf(tab: RunTab, run: Run, tasks: ReactNode): ReactNode {
  const place = { dagId: run.dag_id, runId: run.dag_run_id };
  switch (tab) {
    case "details":
      return <Details run={run} />;
    case "tasks":
      return tasks;
    case "asset_events":
      return <RunEvents {...place} />;
    case "audit_log":
      return <AuditTable {...place} />;
  }
}

/** `others`: the newest runs of the DAG. */
function Times({ run, others = [] }: { run: Run; others: readonly TimedRun[] | undefined }) {
  const usual = usualSeconds(others);
  const now = useNow();
  const seconds = between(run.start_date, run.end_date, now);
  return (
    <Facts
      facts={[
        ["Kind", run.run_type],
        ["Triggered", originOf(run)],
        ["Started", when(run.start_date)],
        ["Ended", when(run.end_date)],
        ["Duration", seconds === undefined ? undefined : duration(seconds)],
        ["Usually", usual === undefined ? undefined : duration(usual)],
        ["Version", versionsOf(run)],
      ]}
    />
  );
}

function RunNote({ run }: { run: Run }) {
  const client = useQueryClient();
  const { reason } = useMay()("edit", "DAG", run.dag_id);
  return (
    <Note
      key={run.dag_run_id}
      note={run.note}
      refusal={reason}
      save={async (note) => {
        await data(
          api.PATCH("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}", {
            params: { path: { dag_id: run.dag_id, dag_run_id: run.dag_run_id }, query: { update_mask: ["note"] } },
            body: { note },
          }),
        );
        await client.invalidateQueries({ queryKey: ["run", run.dag_id, run.dag_run_id] });
      }}
    />
  );
}

function Details({ run }: { run: Run }) {
  const conf = run.conf ?? {};
  return (
    <Facts
      isTable
      facts={[
        ["Logical date", when(run.logical_date)],
        [
          "Data interval",
          run.data_interval_start && (
            <>
              <Moment at={run.data_interval_start} exact /> to <Moment at={run.data_interval_end} exact />
            </>
          ),
        ],
        ["Run after", when(run.run_after)],
        ["Queued", when(run.queued_at)],
        ["Last looked at", when(run.last_scheduling_decision)],
        ["Triggered by", run.triggered_by],
        ["User", run.triggering_user_name],
        ["Partition", run.partition_key],
        ["Bundle version", run.bundle_version],
        [
          "Versions",
          run.dag_versions.map(({ id, version_number: number, created_at: at }) => (
            <div key={id}>
              <CodeLink dagId={run.dag_id} version={number} /> <Moment at={at} exact />
            </div>
          )),
        ],
        ["Configuration", Object.keys(conf).length === 0 ? "none" : <JsonView value={conf} />],
      ]}
    />
  );
}
