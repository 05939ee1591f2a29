/** Pages that only show lists: broken files, warnings, what people did. */
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";

import { api, data } from "~/api/client";
import { Card } from "~/components/Card";
import { Moment } from "~/components/Moment";
import { Failed } from "~/components/Failed";
import { Notice } from "~/components/Notice";
import { Page } from "~/components/Page";
import { PagedTable } from "~/components/PagedTable";
import { Skeleton } from "~/components/Skeleton";
import { eventFilters, eventsParameters, type EventsSearch } from "~/features/admin/events.model";

import styles from "./records.module.css";

export function ImportErrorsPage() {
  const { data: found, error } = useQuery({
    queryKey: ["import-errors", "page"],
    queryFn: () =>
      data(api.GET("/api/v2/importErrors", { params: { query: { limit: 100, order_by: ["-timestamp"] } } })),
  });
  return (
    <Page
      title="Import errors"
      actions={
        Boolean(found?.total_entries) && (
          <Link to="/dags" search={{ broken: true }}>
            DAGs of these files
          </Link>
        )
      }
    >
      {error && <Failed title="Import errors could not be loaded" error={error} />}
      {found === undefined && error === null && <Skeleton />}
      {found?.total_entries === 0 && (
        <Notice title="No import errors">
          <p>Every DAG file could be read. One that cannot be read is shown here with its traceback.</p>
        </Notice>
      )}
      <div className={styles.files}>
        {found?.import_errors.map((each) => (
          <Card
            key={each.import_error_id}
            title={each.filename}
            more={
              <>
                {each.bundle_name} · since <Moment at={each.timestamp} />
              </>
            }
          >
            <pre className={styles.trace}>{each.stack_trace}</pre>
          </Card>
        ))}
        {found && found.total_entries > found.import_errors.length && (
          <p>
            The latest {found.import_errors.length} of {found.total_entries}.
          </p>
        )}
      </div>
    </Page>
  );
}

export function WarningsPage() {
  return (
    <Page title="Warnings">
      <PagedTable
        label="Warnings"
        queryKey={["warnings"]}
        load={async (offset, limit) => {
          const found = await data(api.GET("/ui/warnings", { params: { query: { offset, limit } } }));
          return { rows: found.warnings, total: found.total_entries };
        }}
        rowKey={(warning) => `${warning.dag_id} ${warning.kind} ${warning.message}`}
        empty={<p>Nothing about the DAGs will hurt, as far as their files tell.</p>}
        columns={[
          {
            title: "DAG",
            cell: ({ dag_id: dagId, dag_display_name: name }) => (
              <Link to="/dags/$dagId" params={{ dagId }}>
                {name}
              </Link>
            ),
          },
          { title: "Kind", cell: (warning) => warning.kind.replaceAll("_", " ") },
          { title: "What will hurt", cell: (warning) => warning.message },
          { title: "Since", cell: (warning) => <Moment at={warning.timestamp} /> },
        ]}
      />
    </Page>
  );
}

const labels = { dag: "DAG", run: "Run", task: "Task", user: "Who", event: "What" };

export function EventsPage() {
  const search = useSearch({ from: "/events" });
  const navigate = useNavigate({ from: "/events" });
  const change = (next: EventsSearch) => {
    void navigate({ search: (before) => ({ ...before, ...next }), replace: true });
  };
  return (
    <Page title="Audit log">
      <div className={styles.filters} role="search" aria-label="Audit log">
        {eventFilters.map((name) => (
          <label key={name}>
            {labels[name]}
            <input
              type="search"
              value={search[name] ?? ""}
              onChange={({ target }) => {
                change({ [name]: target.value || undefined });
              }}
            />
          </label>
        ))}
        {(["after", "before"] as const).map((name) => (
          <label key={name}>
            {name === "after" ? "From" : "Until"}
            <input
              type="datetime-local"
              value={search[name] ?? ""}
              onChange={({ target }) => {
                change({ [name]: target.value || undefined });
              }}
            />
          </label>
        ))}
      </div>
      <Events search={search} />
    </Page>
  );
}

function Events({ search }: { search: EventsSearch }) {
  const parameters = eventsParameters(search);
  const isNarrowed = Object.keys(parameters).length > 0;
  return (
    <PagedTable
      key={JSON.stringify(parameters)}
      label="Audit log"
      queryKey={["events", parameters]}
      load={async (offset, limit) => {
        const query = { offset, limit, order_by: ["-when"], ...parameters };
        const found = await data(api.GET("/api/v2/eventLogs", { params: { query } }));
        return { rows: found.event_logs, total: found.total_entries };
      }}
      rowKey={(event) => event.event_log_id}
      empty={<p>{isNarrowed ? "Nothing fits this search." : "Nobody has changed anything yet."}</p>}
      columns={[
        { title: "When", cell: (event) => <Moment at={event.when} exact /> },
        { title: "Who", cell: (event) => event.owner },
        { title: "What", cell: (event) => event.event },
        {
          title: "DAG",
          cell: (event) =>
            event.dag_id !== null && (
              <Link
                to="/dags/$dagId"
                params={{ dagId: event.dag_id }}
                search={event.run_id ? { run: event.run_id } : {}}
              >
                {event.dag_id}
              </Link>
            ),
        },
        { title: "Task", cell: (event) => event.task_id },
        { title: "Details", cell: (event) => event.extra },
      ]}
    />
  );
}
