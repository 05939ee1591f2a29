import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";

import { Toolbar } from "~/components/Toolbar";
import { TaskTable } from "~/features/tasks/TaskTable";

export function TasksView() {
  const { dagId } = useParams({ from: "/dags/$dagId" });
  const { id = "" } = useSearch({ from: "/dags/$dagId" });
  const navigate = useNavigate();
  return (
    <>
      <Toolbar>
        <input
          type="search"
          aria-label="Search tasks"
          placeholder="Search tasks"
          value={id}
          onChange={({ target }) => {
            const text = target.value || undefined;
            void navigate({ to: ".", search: (before) => ({ ...before, id: text }), replace: true });
          }}
        />
      </Toolbar>
      <TaskTable
        dagId={dagId}
        search={id}
        link={(taskId) => (
          <Link to="/dags/$dagId/tasks/$taskId" params={{ dagId, taskId }}>
            {taskId}
          </Link>
        )}
      />
    </>
  );
}
