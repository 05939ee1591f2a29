import { useQuery } from "@tanstack/react-query";

import type { TaskPlace } from "~/api/queries";
import { taskStateQuery } from "~/api/waitingQueries";
import { Kept } from "~/components/Kept";

/** What a task instance remembers from attempt to attempt. */
export function StateStore({ place: { dagId, runId, taskId, mapIndex } }: { place: TaskPlace }) {
  const { data, error } = useQuery(taskStateQuery(dagId, runId, taskId, mapIndex));
  return (
    <Kept
      values={data?.task_state_store.map((each) => ({ ...each, by: undefined }))}
      total={data?.total_entries}
      error={error}
      empty="What a task keeps with its task_state_store, so that its next attempt finds it, is here."
    />
  );
}
