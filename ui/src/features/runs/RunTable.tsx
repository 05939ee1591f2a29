import type { ReactNode } from "react";

import type { Schemas } from "~/api/client";
import { dagRunsPage, type RunFilter } from "~/api/dagQueries";
import { Moment } from "~/components/Moment";
import { PagedTable } from "~/components/PagedTable";
import styles from "~/components/Rows.module.css";
import { State } from "~/components/State";
import { useNow } from "~/lib/now";
import { between, duration } from "~/lib/time";

interface Props {
  dagId: string;
  filter: RunFilter;
  chosen: ReadonlySet<string>;
  onChoose: (runId: string) => void;
  link: (runId: string) => ReactNode;
}

type Run = Schemas["DAGRunResponse"];

/** Runs of a DAG, the newest first. */
export function RunTable({ dagId, filter, chosen, onChoose, link }: Props) {
  const isFiltered = Object.values(filter).some((each) => each !== undefined);
  return (
    <PagedTable<Run>
      key={JSON.stringify(filter)}
      label="Runs"
      queryKey={["dag-runs", dagId, filter]}
      load={(offset, limit) => dagRunsPage(dagId, filter, offset, limit)}
      rowKey={(run) => run.dag_run_id}
      empty={
        isFiltered ? (
          <p>None fits what you look for.</p>
        ) : (
          <p>Trigger one, or unpause the DAG and wait for its schedule.</p>
        )
      }
      columns={[
        {
          title: "Choose",
          cell: (run) => (
            <input
              type="checkbox"
              aria-label={`Choose ${run.dag_run_id}`}
              checked={chosen.has(run.dag_run_id)}
              onChange={() => {
                onChoose(run.dag_run_id);
              }}
            />
          ),
        },
        {
          title: "Run",
          cell: (run) => (
            <span className={styles.name}>
              {link(run.dag_run_id)}
              <small>
                {run.run_type.replaceAll("_", " ")}
                {run.triggering_user_name && ` by ${run.triggering_user_name}`}
              </small>
              {run.note && <small title={run.note}>“{run.note}”</small>}
            </span>
          ),
        },
        { title: "State", cell: (run) => <State state={run.state} /> },
        { title: "Logical date", cell: (run) => <When at={run.logical_date} /> },
        { title: "Started", cell: (run) => <When at={run.start_date} /> },
        { title: "Took", cell: (run) => <Took run={run} /> },
        { title: "Version", cell: (run) => run.dag_versions.map(({ version_number }) => version_number).join(", ") },
      ]}
    />
  );
}

function Took({ run }: { run: Run }) {
  const seconds = between(run.start_date, run.end_date, useNow());
  return seconds === undefined ? null : <span className={styles.whole}>{duration(seconds)}</span>;
}

function When({ at }: { at: string | null }) {
  return (
    <span className={styles.whole}>
      <Moment at={at} exact />
    </span>
  );
}
