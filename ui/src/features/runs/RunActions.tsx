import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { requireAll } from "~/api/bulk";
import { api, data } from "~/api/client";
import { Button } from "~/components/Button";
import { Can } from "~/components/Can";
import { FormDialog } from "~/components/FormDialog";

import { ClearRuns } from "./ClearRuns";
import { counted } from "./runs.model";
import styles from "./Runs.module.css";

type Deed = "clear" | "success" | "failed" | "delete" | "note";

interface Props {
  dagId: string;
  chosen: string[];
  onDone: () => void;
}

const titles: Record<Exclude<Deed, "clear">, string> = {
  success: "Mark as success",
  failed: "Mark as failed",
  delete: "Delete",
  note: "Write a note on",
};

/** What can be done to the chosen runs. */
export function RunActions({ dagId, chosen, onDone }: Props) {
  const [deed, setDeed] = useState<Deed>();
  const client = useQueryClient();
  const close = () => {
    setDeed(undefined);
  };
  const done = async () => {
    onDone();
    await client.invalidateQueries({ queryKey: ["dag-runs", dagId] });
    await client.invalidateQueries({ queryKey: ["grid", dagId] });
  };
  const isNone = chosen.length === 0;
  return (
    <>
      <Can action="edit" resource="DAG" dagId={dagId} explain>
        <Button
          disabled={isNone}
          onClick={() => {
            setDeed("clear");
          }}
        >
          Clear…
        </Button>
        <Button
          disabled={isNone}
          onClick={() => {
            setDeed("success");
          }}
        >
          Mark success…
        </Button>
        <Button
          disabled={isNone}
          onClick={() => {
            setDeed("failed");
          }}
        >
          Mark failed…
        </Button>
        <Button
          disabled={isNone}
          onClick={() => {
            setDeed("note");
          }}
        >
          Note…
        </Button>
      </Can>
      <Can action="delete" resource="DAG" dagId={dagId} explain>
        <Button
          kind="danger"
          disabled={isNone}
          onClick={() => {
            setDeed("delete");
          }}
        >
          Delete…
        </Button>
      </Can>
      {deed === "clear" && <ClearRuns dagId={dagId} chosen={chosen} onClose={close} onDone={done} />}
      {deed !== undefined && deed !== "clear" && (
        <FormDialog
          title={`${titles[deed]} ${counted(chosen.length, "run")}`}
          fields={deed === "note" ? [{ name: "note", label: "Note", kind: "long text" }] : []}
          values={{ note: "" }}
          deed={deed === "note" ? "Save" : titles[deed]}
          onClose={close}
          save={async ({ note }) => {
            await change(dagId, chosen, deed, String(note));
            await done();
          }}
        >
          <ul className={styles.list} aria-label="Runs">
            {chosen.map((runId) => (
              <li key={runId}>{runId}</li>
            ))}
          </ul>
        </FormDialog>
      )}
    </>
  );
}

async function change(dagId: string, chosen: string[], deed: Exclude<Deed, "clear">, note: string): Promise<void> {
  const values = deed === "note" ? { note } : deed === "delete" ? {} : { state: deed };
  const entities = chosen.map((dag_run_id) => ({ dag_run_id, ...values }));
  const answer = await data(
    api.PATCH("/api/v2/dags/{dag_id}/dagRuns", {
      params: { path: { dag_id: dagId } },
      body: {
        actions: [
          deed === "delete"
            ? { action: "delete", entities, action_on_non_existence: "skip" }
            : { action: "update", entities, action_on_non_existence: "fail" },
        ],
      },
    }),
  );
  requireAll(deed === "delete" ? answer.delete : answer.update);
}
