import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { api, type Schemas } from "~/api/client";
import { xcomQuery, xcomsQuery } from "~/api/instanceQueries";
import type { TaskPlace } from "~/api/queries";
import { Button } from "~/components/Button";
import { Can } from "~/components/Can";
import { pretty } from "~/components/json.model";
import { JsonView } from "~/components/JsonView";
import { Moment } from "~/components/Moment";
import { Failed } from "~/components/Failed";
import { Notice } from "~/components/Notice";
import { Skeleton } from "~/components/Skeleton";

import styles from "./Tab.module.css";
import { XComDialog } from "./XComDialog";

/** What a task left for others. */
export function XComs({ place }: { place: TaskPlace }) {
  const { data, error } = useQuery(xcomsQuery(place));
  const [edited, setEdited] = useState<{ key?: string; value: unknown }>();
  if (error) return <Failed title="XComs could not be loaded" error={error} />;
  if (data === undefined) return <Skeleton />;
  return (
    <>
      <div className={styles.bar}>
        {data.total_entries > data.xcom_entries.length && (
          <span className={styles.faint}>
            The first {data.xcom_entries.length} of {data.total_entries}
          </span>
        )}
        <Can action="edit" resource="DAG" dagId={place.dagId}>
          <Button
            onClick={() => {
              setEdited({ value: null });
            }}
          >
            Add an XCom
          </Button>
        </Can>
      </div>
      {data.xcom_entries.length === 0 && (
        <Notice title="It has left nothing">
          <p>What a task returns, or pushes with xcom_push, is here.</p>
        </Notice>
      )}
      <div className={styles.list}>
        {data.xcom_entries.map((entry) => (
          <Entry
            key={entry.key}
            place={place}
            entry={entry}
            onEdit={(value) => {
              setEdited({ key: entry.key, value });
            }}
          />
        ))}
      </div>
      {edited && (
        <XComDialog
          place={place}
          name={edited.key}
          text={pretty(edited.value)}
          onClose={() => {
            setEdited(undefined);
          }}
        />
      )}
    </>
  );
}

interface EntryProps {
  place: TaskPlace;
  entry: Schemas["XComResponse"];
  onEdit: (value: unknown) => void;
}

function Entry({ place, entry, onEdit }: EntryProps) {
  const { key } = entry;
  const client = useQueryClient();
  const { data, error } = useQuery(xcomQuery(place, key));
  const [isSure, setSure] = useState(false);
  const { dagId, runId, taskId, mapIndex } = place;
  const removing = useMutation({
    mutationFn: () =>
      api.DELETE("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/xcomEntries/{xcom_key}", {
        params: {
          path: { dag_id: dagId, dag_run_id: runId, task_id: taskId, xcom_key: key },
          query: { map_index: mapIndex },
        },
      }),
    // Only the list: what is gone must not be asked for again.
    onSettled: () => client.invalidateQueries({ queryKey: xcomsQuery(place).queryKey, exact: true }),
  });
  return (
    <section aria-label={`XCom ${key}`}>
      <div className={styles.row}>
        <h3>{key}</h3>
        <Moment at={entry.timestamp} exact />
        <span>
          <Can action="edit" resource="DAG" dagId={dagId}>
            <Button
              aria-label={`Change ${key}`}
              disabled={data === undefined}
              onClick={() => {
                onEdit(data?.value);
              }}
            >
              Change
            </Button>
          </Can>{" "}
          <Can action="delete" resource="DAG" dagId={dagId}>
            <Button
              kind={isSure ? "danger" : "plain"}
              aria-label={isSure ? `Really delete ${key}` : `Delete ${key}`}
              disabled={removing.isPending}
              onClick={() => {
                if (isSure) removing.mutate();
                else setSure(true);
              }}
            >
              {isSure ? "Really delete?" : "Delete"}
            </Button>
          </Can>
        </span>
      </div>
      <div className={styles.value}>
        {error && <span role="alert">{error.message}</span>}
        {removing.error && <span role="alert">{removing.error.message}</span>}
        {data && <JsonView value={data.value} />}
      </div>
    </section>
  );
}
