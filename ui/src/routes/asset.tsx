import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";

import { assetQuery, gatedDagsQuery } from "~/api/around";
import { api, data, type Schemas } from "~/api/client";
import { assetStateQuery } from "~/api/waitingQueries";
import { Card } from "~/components/Card";
import { JsonView } from "~/components/JsonView";
import { Kept } from "~/components/Kept";
import { Moment } from "~/components/Moment";
import { Failed } from "~/components/Failed";
import { Page } from "~/components/Page";
import { PagedTable } from "~/components/PagedTable";
import { Skeleton } from "~/components/Skeleton";
import { AssetActions } from "~/features/assets/AssetActions";
import { AssetGraph } from "~/features/assets/AssetGraph";

import styles from "./assets.module.css";

type Asset = Schemas["AssetResponse"];

/** One asset: who has to do with it, and its updates. */
export default function AssetPage() {
  const { assetId } = useParams({ from: "/assets/$assetId" });
  const { data: asset, error } = useQuery(assetQuery(Number(assetId)));
  if (error)
    return (
      <Page title="Asset">
        <Failed title="This asset cannot be shown" error={error}>
          <Link to="/assets">All assets</Link>
        </Failed>
      </Page>
    );
  return (
    <Page title={asset?.name ?? "Asset"} actions={asset && <AssetActions asset={asset} />}>
      {asset ? (
        <div className={styles.parts}>
          <Facts asset={asset} />
          <AssetGraph assetId={asset.id} />
          <h2>Events</h2>
          <Events assetId={asset.id} />
          <StateStore assetId={asset.id} />
        </div>
      ) : (
        <Skeleton />
      )}
    </Page>
  );
}

function Facts({ asset }: { asset: Asset }) {
  const { data: gated } = useQuery({ ...gatedDagsQuery(asset.name), enabled: asset.scheduled_dags.length > 0 });
  const hasExtra = asset.extra && Object.keys(asset.extra).length > 0;
  return (
    <div className={styles.columns}>
      <Card title="Asset">
        <ul className={styles.list}>
          <li>
            <small>URI</small> {asset.uri}
          </li>
          <li>
            <small>Group</small> {asset.group}
          </li>
          <li>
            <small>Last event</small> <Moment at={asset.last_asset_event?.timestamp} />
          </li>
          {asset.aliases.map((alias) => (
            <li key={alias.id}>
              <small>Alias</small> {alias.name}
            </li>
          ))}
          {asset.watchers.map((watcher) => (
            <li key={watcher.trigger_id}>
              <small>Watched by</small> {watcher.name}
            </li>
          ))}
        </ul>
        {hasExtra && <JsonView value={asset.extra} open={1} />}
      </Card>
      <Card title="Updated by" empty={asset.producing_tasks.length === 0 && "No task has it as an outlet."}>
        <ul className={styles.list}>
          {asset.producing_tasks.map(({ dag_id: dagId, task_id: taskId }) => (
            <li key={`${dagId} ${taskId}`}>
              <Link to="/dags/$dagId" params={{ dagId }}>
                {dagId}
              </Link>{" "}
              <small>{taskId}</small>
            </li>
          ))}
        </ul>
      </Card>
      <Card
        title="Used by"
        empty={asset.scheduled_dags.length + asset.consuming_tasks.length === 0 && "No DAG waits for it or reads it."}
      >
        <ul className={styles.list}>
          {asset.scheduled_dags.map(({ dag_id: dagId }) => (
            <li key={dagId}>
              <Link to="/dags/$dagId" params={{ dagId }}>
                {dagId}
              </Link>{" "}
              <small>{gated?.has(dagId) ? "runs at its times, once it was updated" : "waits for it"}</small>
            </li>
          ))}
          {asset.consuming_tasks.map(({ dag_id: dagId, task_id: taskId }) => (
            <li key={`${dagId} ${taskId}`}>
              <Link to="/dags/$dagId" params={{ dagId }}>
                {dagId}
              </Link>{" "}
              <small>{taskId} reads it</small>
            </li>
          ))}
        </ul>
      </Card>
    </div>
  );
}

function Events({ assetId }: { assetId: number }) {
  return (
    <PagedTable
      label="Events"
      queryKey={["assets", assetId, "events"]}
      load={async (offset, limit) => {
        const query = { asset_id: assetId, offset, limit, order_by: ["-timestamp"] };
        const found = await data(api.GET("/api/v2/assets/events", { params: { query } }));
        return { rows: found.asset_events, total: found.total_entries };
      }}
      rowKey={(event) => event.id}
      empty={<p>It has not been updated yet. Create an event, or run the DAG that updates it.</p>}
      columns={[
        { title: "When", cell: (event) => <Moment at={event.timestamp} exact /> },
        { title: "From", cell: (event) => <Source event={event} /> },
        { title: "Partition", cell: (event) => event.partition_key },
        { title: "Runs", cell: (event) => <Runs event={event} /> },
        {
          title: "Extra",
          cell: ({ extra }) => extra && Object.keys(extra).length > 0 && <JsonView value={extra} open={0} />,
        },
      ]}
    />
  );
}

/** What tasks and clients leave about it for one another; not there where they leave nothing. */
function StateStore({ assetId }: { assetId: number }) {
  const { data: found, error } = useQuery(assetStateQuery(assetId));
  if (found?.total_entries === 0) return null;
  return (
    <>
      <h2>Kept values</h2>
      <Kept
        values={found?.asset_state_store.map(({ last_updated_by: writer, ...each }) => ({
          ...each,
          by: writerOf(writer),
        }))}
        total={found?.total_entries}
        error={error}
        empty=""
      />
    </>
  );
}

function writerOf(writer: Schemas["AssetStateStoreLastUpdatedBy"] | null | undefined): string | undefined {
  if (writer == null) return undefined;
  return [writer.dag_id, writer.task_id].filter(Boolean).join(" / ") || writer.kind;
}

function Source({ event }: { event: Schemas["AssetEventResponse"] }) {
  const { source_dag_id: dagId, source_run_id: run, source_task_id: task } = event;
  if (dagId == null) return "outside";
  return (
    <Link to="/dags/$dagId" params={{ dagId }} search={{ ...(run != null && { run }), ...(task != null && { task }) }}>
      {[dagId, task].filter((part) => part != null).join(" / ")}
    </Link>
  );
}

function Runs({ event }: { event: Schemas["AssetEventResponse"] }) {
  return event.created_dagruns.map(({ dag_id: dagId, run_id: run }) => (
    <div key={`${dagId} ${run}`}>
      <Link to="/dags/$dagId" params={{ dagId }} search={{ run }}>
        {dagId}
      </Link>
    </div>
  ));
}
