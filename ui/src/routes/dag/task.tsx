import { useParams } from "@tanstack/react-router";

import { Together } from "~/components/Together";
import { GroupHistory, TaskHistory } from "~/features/tasks/History";

export function TaskHistoryView() {
  const { dagId, taskId } = useParams({ from: "/dags/$dagId/tasks/$taskId" });
  return (
    <Together key={taskId}>
      <TaskHistory dagId={dagId} taskId={taskId} />
    </Together>
  );
}

export function GroupHistoryView() {
  const { dagId, groupId } = useParams({ from: "/dags/$dagId/tasks/group/$groupId" });
  return (
    <Together key={groupId}>
      <GroupHistory dagId={dagId} groupId={groupId} />
    </Together>
  );
}
