import { Link, useSearch } from "@tanstack/react-router";

import { api, data, type Schemas } from "~/api/client";
import { Moment } from "~/components/Moment";
import { Page } from "~/components/Page";
import { PagedTable } from "~/components/PagedTable";
import styles from "~/components/Rows.module.css";
import { xcomsParameters } from "~/features/browse/browse.model";
import { Filters } from "~/features/browse/Filters";
import { XComValue } from "~/features/browse/XComValue";
import { betweenDays } from "~/features/runs/runs.model";
import { useSettings } from "~/lib/settings";

import { nothingFits, useChange } from "./browse";
/** What tasks of all DAGs left for one another. */
export function XComsPage() {
  const search = useSearch({ from: "/xcoms" });
  const { zone } = useSettings();
  const parameters = xcomsParameters(search, betweenDays(search, zone));
  return (
    <Page title="XComs">
      <Filters
        label="XComs"
        search={search}
        texts={[
          ["key", "Key"],
          ["dag", "DAG"],
          ["run", "Run id"],
          ["task", "Task"],
        ]}
        onChange={useChange()}
      />
      <div className={styles.below}>
        <PagedTable<Schemas["XComResponse"]>
          key={JSON.stringify(parameters)}
          label="XComs"
          queryKey={["xcoms", parameters]}
          load={async (offset, limit) => {
            const query = { offset, limit, order_by: ["-timestamp"], ...parameters };
            const params = { path: { dag_id: "~", dag_run_id: "~", task_id: "~" }, query };
            const found = await data(
              api.GET("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/xcomEntries", { params }),
            );
            return { rows: found.xcom_entries, total: found.total_entries };
          }}
          rowKey={(entry) => JSON.stringify([entry.dag_id, entry.run_id, entry.task_id, entry.map_index, entry.key])}
          empty={
            Object.keys(parameters).length > 0 ? (
              nothingFits
            ) : (
              <p>What tasks return, or push with xcom_push, is here.</p>
            )
          }
          columns={[
            { title: "Key", cell: (entry) => entry.key },
            { title: "Value", cell: (entry) => <XComValue entry={entry} /> },
            {
              title: "Task",
              cell: ({ dag_id: dagId, run_id: runId, task_id: taskId, map_index: index, ...entry }) => (
                <span className={styles.name}>
                  <Link
                    to="/dags/$dagId/runs/$runId/tasks/$taskId"
                    params={{ dagId, runId, taskId }}
                    search={{ tab: "xcom", ...(index >= 0 && { map_index: index }) }}
                  >
                    {entry.task_display_name}
                    {index >= 0 && ` [${index}]`}
                  </Link>
                  <small>
                    {entry.dag_display_name}, {runId}
                  </small>
                </span>
              ),
            },
            { title: "When", cell: (entry) => <Moment at={entry.timestamp} exact /> },
          ]}
        />
      </div>
    </Page>
  );
}
