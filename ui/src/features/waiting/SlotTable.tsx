import { Link } from "@tanstack/react-router";

import { type Slot, slotsPage, type SlotState } from "~/api/waitingQueries";
import { Moment } from "~/components/Moment";
import { PagedTable } from "~/components/PagedTable";

import { fateOf, lookOf } from "./waiting.model";
import styles from "./Waiting.module.css";

interface Props {
  /** `~`: of all DAGs. */
  dagId: string;
  states: SlotState[];
  empty: string;
}

/** Ticks of schedules that need assets as well. */
export function SlotTable({ dagId, states, empty }: Props) {
  return (
    <PagedTable<Slot>
      key={`${dagId} ${states.join()}`}
      label="Ticks"
      queryKey={["slots", dagId, states]}
      load={(offset, limit) => slotsPage(dagId, states, offset, limit)}
      rowKey={(slot) => slot.id}
      empty={<p>{empty}</p>}
      columns={[
        { title: "Tick", cell: (slot) => <Moment at={slot.run_after} exact /> },
        ...(dagId === "~" ? [{ title: "DAG", cell: (slot: Slot) => <DagLink dagId={slot.dag_id} /> }] : []),
        { title: "What became of it", cell: (slot) => <Fate slot={slot} /> },
        { title: "Missing", cell: (slot) => <Missing slot={slot} /> },
        { title: "Run", cell: (slot) => <RunLink slot={slot} /> },
        { title: "Waits until", cell: (slot) => slot.deadline_at && <Moment at={slot.deadline_at} exact /> },
      ]}
    />
  );
}

export function DagLink({ dagId, name = dagId }: { dagId: string; name?: string }) {
  return (
    <Link to="/dags/$dagId" params={{ dagId }}>
      {name}
    </Link>
  );
}

export function Fate({ slot }: { slot: Slot }) {
  return (
    <span className={styles.fate} data-state={lookOf(slot.state)}>
      {fateOf(slot)}
    </span>
  );
}

/** Each leads to the list of assets, where it can be updated. */
function Missing({ slot }: { slot: Slot }) {
  if (slot.missing_assets.length === 0) return null;
  return (
    <ul className={styles.assets}>
      {slot.missing_assets.map((name) => (
        <li key={name}>
          <Link to="/assets" search={{ q: name }}>
            {name}
          </Link>
        </li>
      ))}
    </ul>
  );
}

function RunLink({ slot: { dag_id: dagId, dag_run_id: runId } }: { slot: Slot }) {
  if (runId === null) return null;
  return (
    <Link to="/dags/$dagId/runs/$runId" params={{ dagId, runId }}>
      {runId}
    </Link>
  );
}
