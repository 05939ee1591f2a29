import { Link, useNavigate, useSearch } from "@tanstack/react-router";

import { api, data } from "~/api/client";
import { Moment } from "~/components/Moment";
import { Page } from "~/components/Page";
import { PagedTable } from "~/components/PagedTable";
import { SearchField } from "~/components/SearchField";
import { Tabs } from "~/components/Tabs";
import { AssetGraph } from "~/features/assets/AssetGraph";
import { type AssetsView, assetsViews } from "~/features/assets/views.model";

import styles from "./assets.module.css";

const titles: Record<AssetsView, string> = { list: "List", graph: "Graph", aliases: "Aliases" };

/** What DAGs update and wait for. */
export default function AssetsPage() {
  const { q = "", view = "list" } = useSearch({ from: "/assets" });
  const navigate = useNavigate({ from: "/assets" });
  return (
    <Page
      title="Assets"
      actions={
        view !== "graph" && (
          <SearchField
            label={`Search ${view === "list" ? "assets" : "aliases"}`}
            value={q}
            onChange={(text) => {
              void navigate({ search: (before) => ({ ...before, q: text || undefined }), replace: true });
            }}
          />
        )
      }
    >
      <Tabs
        label="Views"
        tabs={assetsViews.map((name) => [name, titles[name]] as const)}
        chosen={view}
        onChoose={(next) => {
          void navigate({ search: { view: next === "list" ? undefined : next } });
        }}
      />
      <div className={styles.view}>
        {view === "list" && <AssetList q={q} />}
        {view === "graph" && <AssetGraph />}
        {view === "aliases" && <Aliases q={q} />}
      </div>
    </Page>
  );
}

function AssetList({ q }: { q: string }) {
  return (
    <PagedTable
      key={q}
      label="Assets"
      queryKey={["assets", "list", q]}
      load={async (offset, limit) => {
        const query = { offset, limit, order_by: ["name"], ...(q && { name_pattern: `%${q}%` }) };
        const found = await data(api.GET("/api/v2/assets", { params: { query } }));
        return { rows: found.assets, total: found.total_entries };
      }}
      rowKey={(asset) => asset.id}
      empty={<p>{q ? "No asset has such a name." : "Tasks name them as outlets, DAGs wait for them as a schedule."}</p>}
      columns={[
        {
          title: "Asset",
          cell: ({ id, name, uri }) => (
            <>
              <Link to="/assets/$assetId" params={{ assetId: String(id) }}>
                <strong>{name}</strong>
              </Link>
              {uri !== name && <small className={styles.uri}>{uri}</small>}
            </>
          ),
        },
        { title: "Group", cell: (asset) => asset.group },
        {
          title: "Updated by",
          cell: (asset) => <Dags ids={asset.producing_tasks.map(({ dag_id: dagId }) => dagId)} />,
        },
        {
          title: "Waited for by",
          cell: (asset) => <Dags ids={asset.scheduled_dags.map(({ dag_id: dagId }) => dagId)} />,
        },
        { title: "Last event", cell: (asset) => <Moment at={asset.last_asset_event?.timestamp} /> },
      ]}
    />
  );
}

function Aliases({ q }: { q: string }) {
  return (
    <PagedTable
      key={q}
      label="Aliases"
      queryKey={["assets", "aliases", q]}
      load={async (offset, limit) => {
        const query = { offset, limit, order_by: ["name"], ...(q && { name_pattern: `%${q}%` }) };
        const found = await data(api.GET("/api/v2/assets/aliases", { params: { query } }));
        return { rows: found.asset_aliases, total: found.total_entries };
      }}
      rowKey={(alias) => alias.id}
      empty={
        <p>{q ? "No alias has such a name." : "A task with an alias as its outlet says later which asset it is."}</p>
      }
      columns={[
        { title: "Alias", cell: (alias) => <strong>{alias.name}</strong> },
        { title: "Group", cell: (alias) => alias.group },
      ]}
    />
  );
}

function Dags({ ids }: { ids: string[] }) {
  const each = [...new Set(ids)];
  return (
    <span className={styles.dags}>
      {each.slice(0, 4).map((dagId) => (
        <Link key={dagId} to="/dags/$dagId" params={{ dagId }}>
          {dagId}
        </Link>
      ))}
      {each.length > 4 && <span>and {each.length - 4} more</span>}
    </span>
  );
}
