/** Pages about the deployment: processes, packages, plugins, configuration. */
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { api, data } from "~/api/client";
import { useMay } from "~/api/permissions";
import { notShownQuery } from "~/api/pluginViews";
import { Card } from "~/components/Card";
import { Moment } from "~/components/Moment";
import { Failed } from "~/components/Failed";
import { Notice } from "~/components/Notice";
import { Page } from "~/components/Page";
import { PagedTable } from "~/components/PagedTable";
import { SearchField } from "~/components/SearchField";
import { Tabs } from "~/components/Tabs";
import { Skeleton } from "~/components/Skeleton";
import { Together } from "~/components/Together";
import { brought, fittingSections } from "~/features/admin/system.model";

import styles from "./records.module.css";

export function JobsPage() {
  const [which, setWhich] = useState<"alive" | "all">("alive");
  return (
    <Page title="Processes">
      <Tabs
        label="Which processes"
        tabs={[
          ["alive", "Alive"],
          ["all", "All"],
        ]}
        chosen={which}
        onChoose={setWhich}
      />
      <div className={styles.below}>
        <PagedTable
          key={which}
          label="Processes"
          queryKey={["jobs", which]}
          load={async (offset, limit) => {
            const query = { offset, limit, order_by: ["-id"], ...(which === "alive" && { is_alive: true }) };
            const found = await data(api.GET("/api/v2/jobs", { params: { query } }));
            return { rows: found.jobs, total: found.total_entries };
          }}
          rowKey={(job) => job.id}
          empty={
            <p>No scheduler, processor, triggerer or worker was heard of lately. Start one: tradewind standalone.</p>
          }
          columns={[
            { title: "Kind", cell: (job) => <strong>{job.job_type?.replace(/Job$/, "")}</strong> },
            { title: "State", cell: (job) => job.state },
            { title: "Host", cell: (job) => job.hostname },
            { title: "Started", cell: (job) => <Moment at={job.start_date} /> },
            { title: "Heard of", cell: (job) => <Moment at={job.latest_heartbeat} /> },
            { title: "Ended", cell: (job) => <Moment at={job.end_date} /> },
          ]}
        />
      </div>
    </Page>
  );
}

export function ProvidersPage() {
  return (
    <Page title="Providers">
      <PagedTable
        label="Providers"
        queryKey={["providers"]}
        load={async (offset, limit) => {
          const found = await data(api.GET("/api/v2/providers", { params: { query: { offset, limit } } }));
          return { rows: found.providers, total: found.total_entries };
        }}
        rowKey={(provider) => provider.package_name}
        empty={<p>Install one: tradewind providers install.</p>}
        columns={[
          { title: "Package", cell: (provider) => <strong>{provider.package_name}</strong> },
          { title: "Version", cell: (provider) => provider.version },
          { title: "Description", cell: (provider) => provider.description },
        ]}
      />
    </Page>
  );
}

export function PluginsPage() {
  const { data: broken } = useQuery({
    queryKey: ["plugins", "errors"],
    queryFn: async () => (await data(api.GET("/api/v2/plugins/importErrors"))).import_errors,
  });
  return (
    <Page title="Plugins">
      <Together>
        {broken?.map(({ source, error }) => (
          <Notice key={source} isError title={`${source} cannot be read`}>
            <pre className={styles.trace}>{error}</pre>
          </Notice>
        ))}
        <NotShown />
        <PagedTable
          label="Plugins"
          queryKey={["plugins"]}
          load={async (offset, limit) => {
            const found = await data(api.GET("/api/v2/plugins", { params: { query: { offset, limit } } }));
            return { rows: found.plugins, total: found.total_entries };
          }}
          rowKey={(plugin) => `${plugin.source} ${plugin.name}`}
          empty={<p>Put a file with a plugin into the plugins folder, or install a package that has one.</p>}
          columns={[
            { title: "Plugin", cell: (plugin) => <strong>{plugin.name}</strong> },
            { title: "Brings", cell: (plugin) => brought(plugin).join(", ") },
            { title: "From", cell: (plugin) => plugin.source },
          ]}
        />
      </Together>
    </Page>
  );
}

/** What plugins bring that is not there, and why. */
function NotShown() {
  const { data: parts = [], error } = useQuery(notShownQuery);
  if (error) return <Failed title="What plugins bring that is not shown could not be loaded" error={error} />;
  if (parts.length === 0) return null;
  return (
    <details className={styles.notShown} open>
      <summary>Not shown or not used: {parts.length}</summary>
      <ul>
        {parts.map(({ plugin, part, reason }, position) => (
          <li key={position}>
            <strong>{plugin}</strong>: {part}. {reason}
          </li>
        ))}
      </ul>
    </details>
  );
}

export function ConfigsPage() {
  const [text, setText] = useState("");
  const { isAllowed, reason } = useMay()("read", "configuration");
  const { data: config, error } = useQuery({
    enabled: isAllowed,
    queryKey: ["config"],
    queryFn: async () => {
      const found = await data(api.GET("/api/v2/config", { headers: { Accept: "application/json" } }));
      return typeof found === "string" ? [] : found.sections;
    },
    staleTime: 60_000,
  });
  const sections = fittingSections(config ?? [], text);
  return (
    <Page
      title="Configuration"
      actions={config && <SearchField label="Search options" value={text} onChange={setText} />}
    >
      {reason !== undefined && (
        <Notice title="The configuration is not shown">
          <p>{reason} Nobody may, unless [api] expose_config says so.</p>
        </Notice>
      )}
      {error && <Failed title="The configuration could not be loaded" error={error} />}
      {isAllowed && config === undefined && error === null && <Skeleton lines={20} />}
      {config && sections.length === 0 && (
        <Notice title="No option has such a name">
          <p>Look for a part of its name, or for its section.</p>
        </Notice>
      )}
      <div className={styles.sections}>
        {sections.map(({ name, options }) => (
          <Card key={name} title={`[${name}]`}>
            <table className={styles.options} aria-label={name}>
              <tbody>
                {options.map(({ key, value }) => (
                  <tr key={key}>
                    <th scope="row">{key}</th>
                    <td>{typeof value === "string" ? value : value[0]}</td>
                  </tr>
                ))}
              </tbody>
            </table>
          </Card>
        ))}
      </div>
    </Page>
  );
}
