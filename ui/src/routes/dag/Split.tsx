import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { lazy, type ReactNode, Suspense, useCallback } from "react";

import { Skeleton } from "~/components/Skeleton";
import type { Selected } from "~/features/grid/grid.model";

import styles from "./Split.module.css";

/** Not needed for the first look. */
const Panel = lazy(() => import("../instance/Panel").then(({ Panel: component }) => ({ default: component })));

export const usualRuns = 30;

/** What is chosen on a view, and a way to choose something else. */
export function useSelection() {
  const { dagId } = useParams({ from: "/dags/$dagId" });
  const { run, task, task_group: group, map = -1, num = usualRuns } = useSearch({ from: "/dags/$dagId" });
  const navigate = useNavigate();
  const select = useCallback(
    (next: Selected) => {
      void navigate({
        to: ".",
        search: (before) => ({
          ...before,
          run: next.run,
          task: next.task,
          task_group: next.group,
          map: undefined,
          try: undefined,
        }),
        replace: false,
      });
    },
    [navigate],
  );
  return { dagId, run, task, group, map, num: Math.min(Math.max(num, 1), 365), select };
}

/** A view, and beside it all about what is chosen there. */
export function Split({ children, isWide = false }: { children: ReactNode; isWide?: boolean }) {
  const { dagId, run, task, group, map } = useSelection();
  return (
    <div className={styles.split} data-view={isWide ? "wide" : "even"}>
      <div className={styles.main}>{children}</div>
      <aside className={styles.aside} aria-label="Details">
        <Suspense fallback={<Skeleton />}>
          <Panel dagId={dagId} runId={run} taskId={task} groupId={group} mapIndex={map} />
        </Suspense>
      </aside>
    </div>
  );
}
