import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { api, data } from "~/api/client";
import { type Backfill, backfillProgressQuery, backfillsQuery } from "~/api/dagQueries";
import { Button } from "~/components/Button";
import { Can } from "~/components/Can";
import { Moment } from "~/components/Moment";
import { Failed } from "~/components/Failed";
import { Notice } from "~/components/Notice";
import { Toolbar } from "~/components/Toolbar";

import { BackfillDialog } from "./BackfillDialog";
import { parts, reprocessWords, standing, told } from "./backfills.model";
import styles from "./Backfills.module.css";

/** The backfills of a DAG, and a way to ask for one. */
export function Backfills({ dagId }: { dagId: string }) {
  const [isAsking, setAsking] = useState(false);
  const { data: found, error } = useQuery(backfillsQuery(dagId));
  if (error) return <Failed title="The backfills could not be loaded" error={error} />;
  return (
    <>
      <Toolbar>
        <Can action="edit" resource="DAG" dagId={dagId} explain>
          <Button
            kind="deed"
            onClick={() => {
              setAsking(true);
            }}
          >
            Run a backfill…
          </Button>
        </Can>
      </Toolbar>
      {found?.total_entries === 0 && (
        <Notice title="No backfills">
          <p>A backfill makes the runs of dates that have passed.</p>
        </Notice>
      )}
      <ul className={styles.backfills} aria-label="Backfills" aria-busy={found === undefined}>
        {found?.backfills.map((backfill) => (
          <li key={backfill.id}>
            <One backfill={backfill} />
          </li>
        ))}
      </ul>
      {isAsking && (
        <BackfillDialog
          dagId={dagId}
          onClose={() => {
            setAsking(false);
          }}
        />
      )}
    </>
  );
}

function One({ backfill }: { backfill: Backfill }) {
  const { data: progress } = useQuery(backfillProgressQuery(backfill.dag_id, backfill.id));
  const is = standing(backfill);
  return (
    <>
      <div className={styles.what}>
        <strong>Backfill {backfill.id}</strong>
        <span>
          <Moment at={backfill.from_date} exact /> to <Moment at={backfill.to_date} exact />
        </span>
        <small>
          {backfill.max_active_runs} at once. Runs that are there already:{" "}
          {reprocessWords[backfill.reprocess_behavior].toLowerCase()}. Asked for <Moment at={backfill.created_at} />.
        </small>
      </div>
      <div className={styles.progress}>
        <div className={styles.bar} role="img" aria-label={progress ? told(progress) : "Loading"}>
          {progress &&
            parts(progress).map(({ state, percent }) => (
              <span key={state} data-state={state} style={{ width: `${percent}%` }} />
            ))}
        </div>
        <small>
          {is === "ended" ? "Ended. " : is === "paused" ? "Paused. " : ""}
          {progress && told(progress)}
        </small>
      </div>
      {is !== "ended" && (
        <Can action="edit" resource="DAG" dagId={backfill.dag_id} explain>
          <Deeds backfill={backfill} isPaused={is === "paused"} />
        </Can>
      )}
    </>
  );
}

function Deeds({ backfill, isPaused }: { backfill: Backfill; isPaused: boolean }) {
  const client = useQueryClient();
  const [isSure, setSure] = useState(false);
  const change = useMutation({
    mutationFn: (deed: "pause" | "unpause" | "cancel") =>
      data(api.PUT(`/api/v2/backfills/{backfill_id}/${deed}`, { params: { path: { backfill_id: backfill.id } } })),
    onSettled: () => client.invalidateQueries({ queryKey: ["backfills", backfill.dag_id] }),
  });
  return (
    <div className={styles.deeds}>
      <Button
        disabled={change.isPending}
        onClick={() => {
          change.mutate(isPaused ? "unpause" : "pause");
        }}
      >
        {isPaused ? "Go on" : "Pause"}
      </Button>
      <Button
        kind="danger"
        disabled={change.isPending}
        title="It makes no further runs; those that have not begun fail"
        onClick={() => {
          if (isSure) change.mutate("cancel");
          setSure(!isSure);
        }}
      >
        {isSure ? "Really cancel" : "Cancel"}
      </Button>
      {change.error && <span role="alert">{change.error.message}</span>}
    </div>
  );
}
