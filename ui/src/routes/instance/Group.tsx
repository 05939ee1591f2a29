import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { graphQuery } from "~/api/queries";
import { Failed } from "~/components/Failed";
import { Skeleton } from "~/components/Skeleton";
import { tasksWithin } from "~/features/graph/filter.model";
import { InstanceTable } from "~/features/task/InstanceTable";

import { Deeds } from "./Deeds";
import styles from "./instance.module.css";

interface Props {
  dagId: string;
  runId: string;
  groupId: string;
}

/** The tasks of a group in one run, and what can be done with all of them or with some. */
export function Group({ dagId, runId, groupId }: Props) {
  const { data: graph, error } = useQuery(graphQuery(dagId));
  if (error) return <Failed title="The group could not be loaded" error={error} />;
  if (graph === undefined) return <Skeleton />;
  const taskIds = tasksWithin(graph.rows, groupId);
  const label = graph.rows.find(({ node_id: id }) => id === groupId)?.label ?? groupId;
  return (
    <section className={styles.copies} aria-label={`Group ${groupId}`}>
      <header>
        <h2>{label}</h2>
        <span>{taskIds.length === 1 ? "group of 1 task" : `group of ${taskIds.length} tasks`}</span>
        <Link to="/dags/$dagId/tasks/group/$groupId" params={{ dagId, groupId }}>
          In all runs
        </Link>
        <div className={styles.actions}>
          <Deeds target={{ kind: "group", dagId, runId, groupId, taskIds }} hasKeys />
        </div>
      </header>
      <InstanceTable
        dagId={dagId}
        runId={runId}
        groupId={groupId}
        deeds={(chosen) => <Deeds target={{ kind: "tasks", dagId, runId, tasks: chosen }} />}
      />
    </section>
  );
}
