import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { api, data } from "~/api/client";
import type { TaskPlace } from "~/api/queries";
import { Button } from "~/components/Button";
import { Dialog } from "~/components/Dialog";
import { LazyJsonEditor } from "~/components/LazyJsonEditor";

import styles from "./Tab.module.css";

interface Props {
  place: TaskPlace;
  /** Of one that is there. */
  name: string | undefined;
  text: string;
  onClose: () => void;
}

/** Adds an XCom in the name of a task, or gives one another value. */
export function XComDialog({ place, name, text, onClose }: Props) {
  const client = useQueryClient();
  const { dagId, runId, taskId, mapIndex } = place;
  const [key, setKey] = useState(name ?? "");
  const [typed, setTyped] = useState(text);
  const saving = useMutation({
    mutationFn: async () => {
      if (key.trim() === "") throw new Error("The key is required");
      const value: unknown = JSON.parse(typed);
      const path = { dag_id: dagId, dag_run_id: runId, task_id: taskId };
      if (name === undefined) {
        return data(
          api.POST("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/xcomEntries", {
            params: { path },
            body: { key, value, map_index: mapIndex },
          }),
        );
      }
      return data(
        api.PATCH("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/xcomEntries/{xcom_key}", {
          params: { path: { ...path, xcom_key: name } },
          body: { value, map_index: mapIndex },
        }),
      );
    },
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["task", dagId, runId, taskId, mapIndex, "xcoms"] });
      onClose();
    },
  });
  return (
    <Dialog
      title={name === undefined ? "Add an XCom" : `Change ${name}`}
      onClose={onClose}
      onSubmit={() => {
        saving.mutate();
      }}
      buttons={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="deed" type="submit" disabled={saving.isPending}>
            Save
          </Button>
        </>
      }
    >
      {name === undefined && (
        <label className={styles.field}>
          Key
          <input
            value={key}
            onChange={({ target }) => {
              setKey(target.value);
            }}
          />
        </label>
      )}
      <LazyJsonEditor label="Value (JSON)" text={typed} onChange={setTyped} />
      {saving.error && <p role="alert">{saving.error.message}</p>}
    </Dialog>
  );
}
