/** A run or a task instance with a page of its own: more room for its log than beside the grid. */
import { Link, useParams, useSearch } from "@tanstack/react-router";

import { Page } from "~/components/Page";

import styles from "./instance.module.css";
import { Panel } from "./Panel";

export function RunPage() {
  const { dagId, runId } = useParams({ from: "/dags/$dagId/runs/$runId" });
  return <InstancePage dagId={dagId} runId={runId} taskId={undefined} mapIndex={-1} />;
}

export function TaskPage() {
  const { dagId, runId, taskId } = useParams({ from: "/dags/$dagId/runs/$runId/tasks/$taskId" });
  const { map_index: index = -1 } = useSearch({ from: "/dags/$dagId/runs/$runId/tasks/$taskId" });
  return <InstancePage dagId={dagId} runId={runId} taskId={taskId} mapIndex={index} />;
}

interface Props {
  dagId: string;
  runId: string;
  taskId: string | undefined;
  mapIndex: number;
}

function InstancePage({ dagId, runId, taskId, mapIndex }: Props) {
  return (
    <Page
      title={taskId === undefined ? `${runId} of ${dagId}` : `${taskId} of ${dagId}`}
      heading={
        <span className={styles.crumbs}>
          <Link to="/dags/$dagId" params={{ dagId }}>
            {dagId}
          </Link>
          <span aria-hidden="true">/</span>
          {taskId === undefined ? (
            runId
          ) : (
            <>
              <Link to="/dags/$dagId/runs/$runId" params={{ dagId, runId }}>
                {runId}
              </Link>
              <span aria-hidden="true">/</span>
              {taskId}
            </>
          )}
        </span>
      }
      actions={
        <Link
          to="/dags/$dagId"
          params={{ dagId }}
          search={{
            run: runId,
            ...(taskId !== undefined && { task: taskId }),
            ...(mapIndex >= 0 && { map: mapIndex }),
          }}
        >
          Show in the grid
        </Link>
      }
    >
      <div className={styles.body}>
        <Panel dagId={dagId} runId={runId} taskId={taskId} mapIndex={mapIndex} isAlone />
      </div>
    </Page>
  );
}
