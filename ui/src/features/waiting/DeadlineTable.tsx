import { Link } from "@tanstack/react-router";

import { type Deadline, deadlinesPage } from "~/api/waitingQueries";
import { Moment } from "~/components/Moment";
import { PagedTable } from "~/components/PagedTable";
import { State } from "~/components/State";

import { DagLink } from "./SlotTable";
import { deadlineWords } from "./waiting.model";
import styles from "./Waiting.module.css";

/** Until when runs have to be over, or had to be; `~`: of all DAGs. */
export function DeadlineTable({ dagId, missed }: { dagId: string; missed: boolean }) {
  return (
    <PagedTable<Deadline>
      key={`${dagId} ${String(missed)}`}
      label="Deadlines"
      queryKey={["deadlines", dagId, missed, "page"]}
      load={(offset, limit) => deadlinesPage(dagId, missed, offset, limit)}
      rowKey={(deadline) => deadline.id}
      empty={
        <p>
          {missed
            ? "No run has missed one."
            : "No run that is going on has one. A DAG sets them with DeadlineAlert, in its argument `deadline`."}
        </p>
      }
      columns={[
        { title: "Deadline", cell: (deadline) => <Moment at={deadline.deadline_time} exact /> },
        { title: "Name", cell: (deadline) => deadline.alert_name ?? `number ${Number(deadline.alert_id) + 1}` },
        ...(dagId === "~"
          ? [
              {
                title: "DAG",
                cell: (deadline: Deadline) => <DagLink dagId={deadline.dag_id} name={deadline.dag_display_name} />,
              },
            ]
          : []),
        { title: "Run", cell: (deadline) => <RunOf deadline={deadline} /> },
        { title: "Run is", cell: (deadline) => <State state={deadline.dag_run_state} /> },
        {
          title: "What became of it",
          cell: (deadline) => (
            <>
              <DeadlineFate deadline={deadline} />
              {deadline.output ? (
                <details>
                  <summary>What its callback said</summary>
                  <pre className={styles.said}>{deadline.output}</pre>
                </details>
              ) : null}
            </>
          ),
        },
      ]}
    />
  );
}

function RunOf({ deadline: { dag_id: dagId, dag_run_id: runId } }: { deadline: Deadline }) {
  return (
    <Link to="/dags/$dagId/runs/$runId" params={{ dagId, runId }}>
      {runId}
    </Link>
  );
}

export function DeadlineFate({ deadline }: { deadline: Deadline }) {
  return (
    <span className={styles.fate} data-state={deadline.missed || deadline.state === "failed" ? "failed" : "deferred"}>
      {deadlineWords(deadline)}
    </span>
  );
}
