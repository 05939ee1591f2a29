import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { api, data } from "~/api/client";
import { runQuery } from "~/api/instanceQueries";
import { Button } from "~/components/Button";
import { Can } from "~/components/Can";
import { FormDialog } from "~/components/FormDialog";

import { lossOf } from "./run.model";

interface Props {
  dagId: string;
  runId: string;
  onDone: () => void;
}

/** Removes a run, after it was said what goes with it. */
export function DeleteRun(props: Props) {
  const [isAsked, setAsked] = useState(false);
  return (
    <>
      <Can action="delete" resource="DAG" dagId={props.dagId} explain>
        <Button
          kind="danger"
          onClick={() => {
            setAsked(true);
          }}
        >
          Delete…
        </Button>
      </Can>
      {isAsked && (
        <Asking
          {...props}
          onClose={() => {
            setAsked(false);
          }}
        />
      )}
    </>
  );
}

function Asking({ dagId, runId, onDone, onClose }: Props & { onClose: () => void }) {
  const client = useQueryClient();
  const { data: run } = useQuery(runQuery(dagId, runId));
  const { data: loss, error } = useQuery({
    // What is about to be deleted is counted when somebody asks, and never again.
    queryKey: ["loss", dagId, runId],
    queryFn: () => countLoss(dagId, runId),
    gcTime: 0,
  });
  return (
    <FormDialog
      title={`Delete ${runId}`}
      fields={[]}
      values={{}}
      deed="Delete"
      isDangerous
      onClose={onClose}
      save={async () => {
        await api.DELETE("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}", {
          params: { path: { dag_id: dagId, dag_run_id: runId } },
        });
        onDone();
        await Promise.all(
          ["dag-runs", "grid", "dag"].map((name) => client.invalidateQueries({ queryKey: [name, dagId] })),
        );
      }}
    >
      {error && <p role="alert">{error.message}</p>}
      <p aria-busy={loss === undefined}>{loss && run ? lossOf(run.state, loss) : "Counting what would go…"}</p>
    </FormDialog>
  );
}

async function countLoss(dagId: string, runId: string): Promise<{ tasks: number; xcoms: number }> {
  const path = { dag_id: dagId, dag_run_id: runId };
  const [tasks, xcoms] = await Promise.all([
    data(
      api.GET("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances", { params: { path, query: { limit: 1 } } }),
    ),
    data(
      api.GET("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/xcomEntries", {
        params: { path: { ...path, task_id: "~" }, query: { limit: 1 } },
      }),
    ),
  ]);
  return { tasks: tasks.total_entries ?? 0, xcoms: xcoms.total_entries };
}
