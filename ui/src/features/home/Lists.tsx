/** What the overview shows as short lists. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import {
  assetUpdatesQuery,
  failuresQuery,
  favoriteDagsQuery,
  importErrorsQuery,
  longRunningQuery,
  poolsQuery,
  upcomingQuery,
} from "~/api/around";
import { useMay } from "~/api/permissions";
import { runsNowQuery } from "~/api/queries";
import { Card } from "~/components/Card";
import { Moment } from "~/components/Moment";
import { PoolBar } from "~/components/PoolBar";
import { State } from "~/components/State";
import { useNow } from "~/lib/now";
import { between, duration } from "~/lib/time";

import { reasonOf } from "./errors.model";
import styles from "./Lists.module.css";

interface Row {
  key: string;
  cells: ReactNode[];
}

function Rows({ rows, kind }: { rows: readonly Row[]; kind: string }) {
  return (
    <ul className={styles.rows} data-kind={kind}>
      {rows.map(({ key, cells }) => (
        <li key={key}>
          {cells.map((cell, position) => (
            <span key={position}>{cell}</span>
          ))}
        </li>
      ))}
    </ul>
  );
}

/** Runs that are going on or about to begin. */
export function ActiveRuns() {
  const running = useQuery(runsNowQuery("running"));
  const queued = useQuery(runsNowQuery("queued"));
  const found = [running.data, queued.data].filter((each) => each !== undefined);
  const runs = found.flatMap((each) => each.dag_runs).slice(0, 10);
  const isLoading = found.length < 2;
  return (
    <Card
      title="Active runs"
      count={isLoading ? undefined : found.reduce((sum, each) => sum + (each.total_entries ?? 0), 0)}
      error={running.error ?? queued.error}
      isLoading={isLoading}
      empty={!isLoading && runs.length === 0 && "Nothing runs at the moment. What you trigger is shown here."}
    >
      <Rows
        kind="runs"
        rows={runs.map((run) => ({
          key: `${run.dag_id} ${run.dag_run_id}`,
          cells: [
            <State key="state" state={run.state} />,
            <Link key="run" to="/dags/$dagId" params={{ dagId: run.dag_id }} search={{ run: run.dag_run_id }}>
              {run.dag_display_name}
            </Link>,
            run.dag_run_id,
            <Moment key="at" at={run.start_date ?? run.queued_at} />,
          ],
        }))}
      />
    </Card>
  );
}

/** DAGs with failures within a day. */
export function Failures() {
  const { data, error, isPending } = useQuery(failuresQuery);
  return (
    <Card
      title="Failures of the last 24 hours"
      count={data?.total_runs}
      error={error}
      isLoading={isPending}
      more={data && data.total_dags > data.dags.length && `of ${data.total_dags} DAGs, the latest ${data.dags.length}`}
      empty={data?.dags.length === 0 && "No run has failed."}
    >
      <Rows
        kind="failures"
        rows={(data?.dags ?? []).map(({ dag_id: dagId, number, last_run_id: runId, last_at: at }) => ({
          key: dagId,
          cells: [
            <Link key="run" to="/dags/$dagId" params={{ dagId }} search={{ run: runId }}>
              {dagId}
            </Link>,
            <span key="number" className={styles.failed}>
              {number === 1 ? "1 run" : `${number} runs`}
            </span>,
            <Moment key="at" at={at} />,
          ],
        }))}
      />
    </Card>
  );
}

/** DAGs that were given a star; not there where none was. */
export function Favorites() {
  const { data } = useQuery(favoriteDagsQuery);
  if (!data?.total_entries) return null;
  return (
    <Card
      title="Favorites"
      count={data.total_entries}
      more={
        <Link to="/dags" search={{ favorite: true }}>
          All favorites
        </Link>
      }
    >
      <Rows
        kind="upcoming"
        rows={data.dags.map((dag) => ({
          key: dag.dag_id,
          cells: [
            <Link key="dag" to="/dags/$dagId/overview" params={{ dagId: dag.dag_id }}>
              {dag.dag_display_name}
            </Link>,
            dag.timetable_summary ?? "by hand",
            dag.is_paused ? "paused" : <Moment key="at" at={dag.next_dagrun_run_after} />,
          ],
        }))}
      />
    </Card>
  );
}

/** The newest updates of assets; not there where there was none. */
export function AssetUpdates() {
  const isVisible = useMay()("read", "asset").isAllowed;
  const { data } = useQuery({ ...assetUpdatesQuery, enabled: isVisible });
  if (!data?.total_entries) return null;
  return (
    <Card title="Updates of assets" count={data.total_entries} more={<Link to="/assets">All assets</Link>}>
      <Rows
        kind="upcoming"
        rows={data.asset_events.map((event) => ({
          key: String(event.id),
          cells: [
            <Link key="asset" to="/assets/$assetId" params={{ assetId: String(event.asset_id) }}>
              {event.name ?? event.uri}
            </Link>,
            [event.source_dag_id, event.source_task_id].filter(Boolean).join(" / ") || "from outside",
            <Moment key="at" at={event.timestamp} />,
          ],
        }))}
      />
    </Card>
  );
}

/** What begins next. */
export function Upcoming() {
  const { data, error, isPending } = useQuery(upcomingQuery);
  return (
    <Card
      title="Next runs"
      usually={6}
      error={error}
      isLoading={isPending}
      empty={data?.length === 0 && "No active DAG has a schedule. Unpause one, or give one a schedule."}
    >
      <Rows
        kind="upcoming"
        rows={(data ?? []).map((dag) => ({
          key: dag.dag_id,
          cells: [
            <Link key="dag" to="/dags/$dagId" params={{ dagId: dag.dag_id }}>
              {dag.dag_display_name}
            </Link>,
            dag.timetable_summary,
            <Moment key="at" at={dag.next_dagrun_run_after} />,
          ],
        }))}
      />
    </Card>
  );
}

/** Tasks that take longest. */
export function LongRunning() {
  const { data, error, isPending } = useQuery(longRunningQuery);
  const now = useNow();
  return (
    <Card
      title="Longest running tasks"
      error={error}
      isLoading={isPending}
      empty={data?.task_instances.length === 0 && "No task runs at the moment."}
    >
      <Rows
        kind="tasks"
        rows={(data?.task_instances ?? []).map((task) => ({
          key: task.id,
          cells: [
            <Link
              key="task"
              to="/dags/$dagId"
              params={{ dagId: task.dag_id }}
              search={{
                run: task.dag_run_id,
                task: task.task_id,
                ...(task.map_index >= 0 && { map: task.map_index }),
              }}
            >
              {task.task_display_name}
              {task.map_index >= 0 && ` [${task.map_index}]`}
            </Link>,
            task.dag_display_name,
            duration(between(task.start_date, null, now) ?? 0),
          ],
        }))}
      />
    </Card>
  );
}

/** Who has which slots. */
export function Pools() {
  const isVisible = useMay()("read", "pool").isAllowed;
  const { data, error, isPending } = useQuery({ ...poolsQuery, enabled: isVisible });
  if (!isVisible) return null;
  const busy = (data?.pools ?? []).toSorted(
    (one, other) => other.scheduled_slots - one.scheduled_slots || other.occupied_slots - one.occupied_slots,
  );
  return (
    <Card title="Pools" error={error} isLoading={isPending} more={<Link to="/pools">All pools</Link>}>
      <Rows
        kind="pools"
        rows={busy.slice(0, 6).map((pool) => ({
          key: pool.name,
          cells: [
            pool.name,
            <PoolBar key="bar" pool={pool} />,
            pool.slots < 0 ? `${pool.occupied_slots}` : `${pool.occupied_slots}/${pool.slots}`,
          ],
        }))}
      />
    </Card>
  );
}

/** Files that cannot be read; not there when all can. */
export function ImportErrors() {
  const isVisible = useMay()("read", "import error").isAllowed;
  const { data } = useQuery({ ...importErrorsQuery, enabled: isVisible });
  if (!data?.total_entries) return null;
  return (
    <Card title="Import errors" count={data.total_entries} more={<Link to="/import_errors">All of them</Link>}>
      <Rows
        kind="errors"
        rows={data.import_errors.map((error) => ({
          key: String(error.import_error_id),
          cells: [error.filename, reasonOf(error.stack_trace), <Moment key="at" at={error.timestamp} />],
        }))}
      />
    </Card>
  );
}
