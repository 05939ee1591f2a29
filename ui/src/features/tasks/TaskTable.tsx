import { useQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, type ReactNode, useMemo, useRef } from "react";

import { dagTasksQuery, latestTasksQuery } from "~/api/dagQueries";
import { Failed } from "~/components/Failed";
import { Notice } from "~/components/Notice";
import { Skeleton } from "~/components/Skeleton";
import { useNow } from "~/lib/now";
import { stateName } from "~/lib/states";
import { duration } from "~/lib/time";

import { matching, median, spark, type Task, tasksOf } from "./tasks.model";
import styles from "./TaskTable.module.css";

const rowHeight = 40;
const runsShown = 10;
const sparkWidth = 96;
const sparkHeight = 22;

interface Props {
  dagId: string;
  search: string;
  link: (taskId: string) => ReactNode;
}

/** All tasks of a DAG, and how they did in the newest runs. */
export function TaskTable({ dagId, search, link }: Props) {
  const { data, error } = useQuery(dagTasksQuery(dagId));
  const { data: latest } = useQuery(latestTasksQuery(dagId, runsShown));
  const now = useNow();
  // Once a minute is often enough for what goes on: thousands of rows are made anew.
  const minute = Math.floor(now / 60_000) * 60_000;
  const tasks = useMemo(() => tasksOf(data?.tasks ?? [], latest?.runs ?? [], minute), [data, latest, minute]);
  const found = useMemo(() => matching(tasks, search), [tasks, search]);
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: found.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 10,
  });
  if (error) return <Failed title="The tasks could not be loaded" error={error} />;
  if (data === undefined) return <Skeleton />;
  return (
    <div className={styles.scroller} ref={scroller} tabIndex={0} role="region" aria-label="Tasks">
      <div className={styles.head} aria-hidden="true">
        <span>Task</span>
        <span>Operator</span>
        <span>Trigger rule</span>
        <span>Retries</span>
        <span>Pool</span>
        <span>Newest runs</span>
        <span>Took</span>
      </div>
      {found.length === 0 && (
        <Notice title={tasks.length === 0 ? "This DAG has no tasks" : "No task fits this search"}>
          <p>{tasks.length === 0 ? "Add operators or @task functions to its file." : "Look for another name."}</p>
        </Notice>
      )}
      <ul className={styles.rows} style={{ height: rows.getTotalSize() }}>
        {rows.getVirtualItems().map(({ index, start }) => {
          const task = found[index];
          return (
            <li key={task?.task_id ?? index} style={{ transform: `translateY(${start}px)` }}>
              {task && <Row task={task}>{link(task.task_id)}</Row>}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

const Row = memo(function Row({ task, children }: { task: Task; children: ReactNode }) {
  const usual = median(task.durations);
  return (
    <>
      <span title={task.task_id}>
        {children}
        {task.isMapped && " [ ]"}
      </span>
      <span title={task.operator}>{task.operator}</span>
      <span>{task.rule}</span>
      <span>{task.retries}</span>
      <span title={task.pool}>{task.pool}</span>
      <span
        className={styles.states}
        role="img"
        aria-label={`Newest runs: ${task.states.map((each) => stateName(each)).join(", ")}`}
      >
        {task.states.map((state, number) => (
          <span
            key={number}
            data-state={state ?? "removed"}
            data-absent={state === undefined}
            title={stateName(state)}
          />
        ))}
      </span>
      <span className={styles.took}>
        {usual !== undefined && (
          <>
            <svg
              width={sparkWidth}
              height={sparkHeight + 4}
              viewBox={`0 -2 ${sparkWidth} ${sparkHeight + 4}`}
              aria-hidden="true"
            >
              <polyline points={spark(task.durations, sparkWidth, sparkHeight)} />
            </svg>
            <span title="In half of the newest runs it took longer">{duration(usual)}</span>
          </>
        )}
      </span>
    </>
  );
});
