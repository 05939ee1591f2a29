import { useParams } from "@tanstack/react-router";

import { Card } from "~/components/Card";
import { Together } from "~/components/Together";
import { Durations, FailingTasks, RunsByDay } from "~/features/overview/Overview";
import { ComingDeadlines, MissedDeadlines, WaitingTicks } from "~/features/waiting/Cards";
import { NextRun } from "~/features/why/NextRun";

import styles from "./overview.module.css";

/** A DAG at a glance: how it did, what fails, and what comes next. */
export function OverviewView() {
  const { dagId } = useParams({ from: "/dags/$dagId" });
  return (
    <Together>
      <div className={styles.overview}>
        <div>
          <Durations dagId={dagId} />
          <RunsByDay dagId={dagId} />
        </div>
        <div>
          <Card title="Next run">
            <NextRun dagId={dagId} />
          </Card>
          <WaitingTicks dagId={dagId} />
          <FailingTasks dagId={dagId} />
          <MissedDeadlines dagId={dagId} />
          <ComingDeadlines dagId={dagId} />
        </div>
      </div>
    </Together>
  );
}
