import { api, data } from "~/api/client";

import { Moment } from "./Moment";
import { PagedTable } from "./PagedTable";

interface Props {
  dagId: string;
  runId?: string;
  taskId?: string;
  mapIndex?: number;
}

/** Who did what to a DAG, a run or a task. */
export function AuditTable({ dagId, runId, taskId, mapIndex }: Props) {
  const place = {
    dag_id: dagId,
    ...(runId !== undefined && { run_id: runId }),
    ...(taskId !== undefined && { task_id: taskId }),
    ...(mapIndex !== undefined && mapIndex >= 0 && { map_index: mapIndex }),
  };
  return (
    <PagedTable
      label="Changes"
      queryKey={["events", place]}
      load={async (offset, limit) => {
        const query = { offset, limit, order_by: ["-when"], ...place };
        const found = await data(api.GET("/api/v2/eventLogs", { params: { query } }));
        return { rows: found.event_logs, total: found.total_entries };
      }}
      rowKey={(event) => event.event_log_id}
      empty={<p>Nobody has changed anything about it. Whoever does is written down here.</p>}
      columns={[
        { title: "When", cell: (event) => <Moment at={event.when} exact /> },
        { title: "Who", cell: (event) => event.owner },
        { title: "What", cell: (event) => event.event },
        { title: "Task", cell: (event) => event.task_id },
        { title: "Details", cell: (event) => event.extra },
      ]}
    />
  );
}
