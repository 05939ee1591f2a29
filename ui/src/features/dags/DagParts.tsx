/** What rows and cards show of a DAG. */
import { Link } from "@tanstack/react-router";

import type { Schemas } from "~/api/client";
import { Can } from "~/components/Can";
import { Moment } from "~/components/Moment";

import styles from "./DagTable.module.css";
import type { DagsSearch } from "./list.model";

interface NameProps {
  dag: Schemas["DAGResponse"];
  /** Those that are chosen. */
  tags: string[];
  onChange: (next: DagsSearch) => void;
}

/** With its owners and tags, which narrow the list. */
export function DagName({ dag, tags, onChange }: NameProps) {
  return (
    <span className={styles.name}>
      <Link to="/dags/$dagId" params={{ dagId: dag.dag_id }} title={dag.description ?? undefined}>
        {dag.dag_display_name}
      </Link>
      <small>
        {dag.has_import_errors && (
          <Link to="/import_errors" className={styles.broken}>
            cannot be read
          </Link>
        )}
        {dag.owners.map((owner) => (
          <button
            key={owner}
            type="button"
            title={`Owner ${owner}`}
            onClick={() => {
              onChange({ owner });
            }}
          >
            {owner}
          </button>
        ))}
        {dag.tags.map(({ name }) => (
          <button
            key={name}
            type="button"
            className={styles.tag}
            title={`Tag ${name}`}
            onClick={() => {
              onChange({ tags: [...new Set([...tags, name])] });
            }}
          >
            {name}
          </button>
        ))}
      </small>
    </span>
  );
}

interface LastRunProps {
  dagId: string;
  run: Schemas["RunAtAGlanceResponse"] | undefined;
}

export function LastRun({ dagId, run }: LastRunProps) {
  return (
    <span className={styles.last} data-state={run?.state}>
      {run && (
        <Link to="/dags/$dagId" params={{ dagId }} search={{ run: run.run_id }} title={run.state}>
          <Moment at={run.start_date ?? run.run_after} />
        </Link>
      )}
    </span>
  );
}

export function TriggerButton({ dagId, onChange }: { dagId: string; onChange: (next: DagsSearch) => void }) {
  return (
    <Can action="edit" resource="DAG" dagId={dagId}>
      <button
        type="button"
        className={styles.trigger}
        onClick={() => {
          onChange({ trigger: dagId });
        }}
        aria-label={`Trigger ${dagId}`}
        title="Trigger a run"
      >
        ▶
      </button>
    </Can>
  );
}
