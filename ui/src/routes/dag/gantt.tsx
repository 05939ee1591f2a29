import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import { recentRunsQuery } from "~/api/dagQueries";
import { graphQuery } from "~/api/queries";
import { Failed } from "~/components/Failed";
import { Notice } from "~/components/Notice";
import { Gantt } from "~/features/gantt/Gantt";

import { RunChoice } from "./RunChoice";
import { Split, useSelection } from "./Split";

/** Of the chosen run, or of the newest. */
export function GanttView() {
  const { dagId, run, task, select } = useSelection();
  const { data: graph } = useQuery(graphQuery(dagId));
  const { data: runs, error } = useQuery(recentRunsQuery(dagId));
  const order = useMemo(() => graph?.rows.map(({ node_id }) => node_id) ?? [], [graph?.rows]);
  const shown = run ?? runs?.at(-1)?.run_id;
  return (
    <Split isWide>
      {error && shown === undefined && <Failed title="The runs could not be loaded" error={error} />}
      {runs && shown === undefined && (
        <Notice title="This DAG has no runs yet">
          <p>Trigger one, or unpause the DAG and wait for its schedule.</p>
        </Notice>
      )}
      {shown !== undefined && (
        <Gantt
          key={shown}
          dagId={dagId}
          runId={shown}
          order={order}
          task={task}
          onSelect={(next) => {
            select({ run: shown, task: next });
          }}
        >
          <RunChoice
            runs={runs ?? []}
            run={shown}
            onChoose={(next) => {
              select({ run: next, task });
            }}
          />
        </Gantt>
      )}
    </Split>
  );
}
