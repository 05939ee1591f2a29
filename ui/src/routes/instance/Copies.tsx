import { InstanceTable } from "~/features/task/InstanceTable";

import { Deeds } from "./Deeds";
import styles from "./instance.module.css";

interface Props {
  dagId: string;
  runId: string;
  taskId: string;
}

/** The copies of a mapped task, and what can be done with all of them or with some. */
export function Copies({ dagId, runId, taskId }: Props) {
  const target = (tasks: { taskId: string; mapIndex: number | undefined }[]) =>
    ({ kind: "tasks", dagId, runId, tasks }) as const;
  return (
    <section className={styles.copies} aria-label={`Copies of ${taskId}`}>
      <header>
        <h2>{taskId}</h2>
        <span>all copies</span>
        <div className={styles.actions}>
          <Deeds target={target([{ taskId, mapIndex: undefined }])} hasKeys />
        </div>
      </header>
      <InstanceTable
        dagId={dagId}
        runId={runId}
        taskId={taskId}
        deeds={(chosen) => <Deeds target={target(chosen)} />}
      />
    </section>
  );
}
