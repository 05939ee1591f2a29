import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import type { Schemas } from "~/api/client";
import { xcomQuery } from "~/api/instanceQueries";
import { JsonView } from "~/components/JsonView";

/** The value of an XCom, once somebody wants to see it: it may be large, and there are many in a list. */
export function XComValue({ entry }: { entry: Schemas["XComResponse"] }) {
  const [isOpen, setOpen] = useState(false);
  const { dag_id: dagId, run_id: runId, task_id: taskId, map_index: mapIndex, key } = entry;
  const { data, error } = useQuery({ ...xcomQuery({ dagId, runId, taskId, mapIndex }, key), enabled: isOpen });
  return (
    <details
      onToggle={({ currentTarget }) => {
        setOpen(currentTarget.open);
      }}
    >
      <summary aria-label={`${isOpen ? "Hide" : "Show"} the value of ${key} of ${taskId}`}>
        {isOpen ? "Hide" : "Show"}
      </summary>
      {error && <span role="alert">{error.message}</span>}
      {data && <JsonView value={data.value} />}
    </details>
  );
}
