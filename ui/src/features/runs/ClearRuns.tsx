import { keepPreviousData, useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { api, data } from "~/api/client";
import { Button } from "~/components/Button";
import { Dialog } from "~/components/Dialog";
import { State } from "~/components/State";

import { counted } from "./runs.model";
import styles from "./Runs.module.css";

interface Props {
  dagId: string;
  chosen: string[];
  onClose: () => void;
  onDone: () => Promise<void>;
}

const shown = 200;

/** Let runs start over, after a look at what that means. */
export function ClearRuns({ dagId, chosen, onClose, onDone }: Props) {
  const [onlyFailed, setOnlyFailed] = useState(false);
  const [onLatest, setOnLatest] = useState(false);
  const clear = (isDry: boolean) =>
    data(
      api.POST("/api/v2/dags/{dag_id}/clearDagRuns", {
        params: { path: { dag_id: dagId } },
        body: {
          dry_run: isDry,
          only_failed: onlyFailed,
          only_new: false,
          run_on_latest_version: onLatest,
          dag_runs: chosen.map((dag_run_id) => ({ dag_run_id })),
        },
      }),
    );
  const { data: answer, error } = useQuery({
    queryKey: ["would-clear", dagId, chosen, onlyFailed, onLatest],
    queryFn: () => clear(true),
    staleTime: 0,
    placeholderData: keepPreviousData,
  });
  const clearing = useMutation({ mutationFn: () => clear(false), onSuccess: () => onDone().then(onClose) });
  const tasks = answer && "task_instances" in answer ? answer.task_instances : [];
  const problem = clearing.error ?? error;
  return (
    <Dialog
      title={`Clear ${counted(chosen.length, "run")}`}
      onClose={onClose}
      onSubmit={() => {
        clearing.mutate();
      }}
      buttons={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="deed" type="submit" disabled={clearing.isPending || tasks.length === 0}>
            Clear {counted(tasks.length, "task")}
          </Button>
        </>
      }
    >
      <div className={styles.options}>
        <label>
          <input
            type="checkbox"
            checked={onlyFailed}
            onChange={({ target }) => {
              setOnlyFailed(target.checked);
            }}
          />
          Only what failed
        </label>
        <label>
          <input
            type="checkbox"
            checked={onLatest}
            onChange={({ target }) => {
              setOnLatest(target.checked);
            }}
          />
          On the latest version of the DAG
        </label>
      </div>
      <p>{tasks.length === 0 ? "Nothing would start over." : "These would start over:"}</p>
      <ul className={styles.list} aria-label="Tasks">
        {tasks.slice(0, shown).map((task, number) => (
          <li key={number}>
            <span>
              {task.task_id}
              {"map_index" in task && task.map_index >= 0 && ` [${task.map_index}]`}
              {"dag_run_id" in task && ` in ${task.dag_run_id}`}
            </span>
            {"state" in task ? <State state={task.state} /> : "new"}
          </li>
        ))}
      </ul>
      {tasks.length > shown && <p>… and {tasks.length - shown} more.</p>}
      {problem && <p role="alert">{problem.message}</p>}
    </Dialog>
  );
}
