/** What waits for assets, and deadlines, as short lists. They are not there where there is nothing of it. */
import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { deadlineAlertsQuery, deadlinesQuery, runDeadlinesQuery, waitingSlotsQuery } from "~/api/waitingQueries";
import { Card } from "~/components/Card";
import { Moment } from "~/components/Moment";
import { duration } from "~/lib/time";

import { DeadlineFate } from "./DeadlineTable";
import { callbackName, fateOf, referenceWords } from "./waiting.model";
import styles from "./Cards.module.css";

/** Ticks whose assets are missing; `~`: of all DAGs. */
export function WaitingTicks({ dagId = "~" }: { dagId?: string }) {
  const { data } = useQuery(waitingSlotsQuery(dagId));
  if (!data?.total) return null;
  return (
    <Card title="Waiting for assets" count={data.total} more={<Link to="/slots">All ticks</Link>}>
      <ul className={styles.rows}>
        {data.rows.map((slot) => (
          <li key={slot.id}>
            {dagId === "~" && (
              <Link to="/dags/$dagId/asset_events" params={{ dagId: slot.dag_id }}>
                {slot.dag_id}
              </Link>
            )}
            <span title={fateOf(slot)}>{fateOf(slot)}</span>
            <Moment at={slot.run_after} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

export function MissedDeadlines({ dagId = "~" }: { dagId?: string }) {
  return <Deadlines title="Missed deadlines" dagId={dagId} missed />;
}

export function ComingDeadlines({ dagId = "~" }: { dagId?: string }) {
  return <Deadlines title="Deadlines to come" dagId={dagId} missed={false} />;
}

function Deadlines({ title, dagId, missed }: { title: string; dagId: string; missed: boolean }) {
  const { data } = useQuery(deadlinesQuery(dagId, missed));
  if (!data?.total) return null;
  return (
    <Card
      title={title}
      count={data.total}
      more={
        <Link to="/deadlines" search={missed ? { which: "missed" } : {}}>
          All deadlines
        </Link>
      }
    >
      <ul className={styles.rows}>
        {data.rows.map((deadline) => (
          <li key={deadline.id}>
            <Link
              to="/dags/$dagId/runs/$runId"
              params={{ dagId: deadline.dag_id, runId: deadline.dag_run_id }}
              title={deadline.dag_run_id}
            >
              {deadline.dag_display_name}
            </Link>
            <span>{deadline.alert_name ?? deadline.dag_run_id}</span>
            <Moment at={deadline.deadline_time} />
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** The deadlines that a DAG sets for its runs. */
export function DeadlineAlerts({ dagId }: { dagId: string }) {
  const { data } = useQuery(deadlineAlertsQuery(dagId));
  if (!data?.length) return null;
  return (
    <Card title="Deadlines of its runs" count={data.length}>
      <ul className={styles.rows}>
        {data.map((alert) => (
          <li key={alert.id}>
            <strong>{alert.name ?? `number ${Number(alert.id) + 1}`}</strong>
            <span>
              {alert.interval === null ? "an interval of a variable" : duration(alert.interval)} after{" "}
              {referenceWords(alert.reference_type)}, else {callbackName(alert.callback)}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** Until when a run has to be over, or had to be; undefined where it has no deadline. */
export function RunDeadlines({ dagId, runId }: { dagId: string; runId: string }) {
  const { data = [] } = useQuery(runDeadlinesQuery(dagId, runId));
  if (data.length === 0) return null;
  return (
    <Card title="Deadlines" count={data.length}>
      <ul className={styles.rows}>
        {data.map((deadline) => (
          <li key={deadline.id}>
            <strong>{deadline.alert_name ?? `number ${Number(deadline.alert_id) + 1}`}</strong>
            <DeadlineFate deadline={deadline} />
            <Moment at={deadline.deadline_time} exact />
          </li>
        ))}
      </ul>
    </Card>
  );
}
