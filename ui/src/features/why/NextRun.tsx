import { useQuery } from "@tanstack/react-query";

import type { Schemas } from "~/api/client";
import { dagQuery, nextRunQuery } from "~/api/queries";
import { Facts, when } from "~/components/Facts";
import { Failed } from "~/components/Failed";

import { Why } from "./Why";

interface Props {
  dagId: string;
  /** In the place of a chosen run: what to do to see more. */
  hint?: string;
}

/** Why a DAG has no further run yet, and when it will have one. */
export function NextRun({ dagId, hint }: Props) {
  const { data: why, error } = useQuery(nextRunQuery(dagId));
  const { data: dag } = useQuery(dagQuery(dagId));
  if (error) return <Failed title="It cannot be said when the next run is" error={error} />;
  return (
    <>
      {dag?.description && <p>{dag.description}</p>}
      <Facts
        facts={[
          ["Schedule", dag && scheduleOf(dag)],
          ["Next run", when(why?.next_run_after)],
          ["For", when(why?.next_logical_date)],
        ]}
      />
      {why && <Why dagId={dagId} summary={why.summary} reasons={why.reasons} />}
      {hint && <p>{hint}</p>}
    </>
  );
}

function scheduleOf(dag: Schemas["DAGResponse"]): string {
  return dag.timetable_description ?? dag.timetable_summary ?? "by hand";
}
