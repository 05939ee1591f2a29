import { Link } from "@tanstack/react-router";

import type { Schemas } from "~/api/client";

import styles from "./AssetEvents.module.css";
import { JsonView } from "./JsonView";
import { Moment } from "./Moment";
import { Notice } from "./Notice";

interface Props {
  events: Schemas["AssetEventResponse"][];
  empty: string;
}

/** Updates of assets: which, when, by whom, and the runs that they led to. */
export function AssetEvents({ events, empty }: Props) {
  if (events.length === 0)
    return (
      <Notice title={empty}>
        <Link to="/assets">All assets</Link>
      </Notice>
    );
  return (
    <ul className={styles.events}>
      {events.map((event) => (
        <li key={event.id}>
          <div>
            <strong>{event.name ?? event.uri}</strong> <Moment at={event.timestamp} exact />
          </div>
          {event.uri !== event.name && <small>{event.uri}</small>}
          {event.source_dag_id && event.source_run_id && (
            <div>
              from{" "}
              <Link
                to="/dags/$dagId"
                params={{ dagId: event.source_dag_id }}
                search={{ run: event.source_run_id, ...(event.source_task_id && { task: event.source_task_id }) }}
              >
                {event.source_dag_id} {event.source_task_id}
              </Link>
            </div>
          )}
          {event.created_dagruns.map(({ dag_id: dagId, run_id: run }) => (
            <div key={`${dagId} ${run}`}>
              made{" "}
              <Link to="/dags/$dagId" params={{ dagId }} search={{ run }}>
                {dagId} {run}
              </Link>
            </div>
          ))}
          {event.extra && Object.keys(event.extra).length > 0 && <JsonView value={event.extra} open={1} />}
        </li>
      ))}
    </ul>
  );
}
