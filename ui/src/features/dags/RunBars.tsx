import { Link } from "@tanstack/react-router";

import { useNow } from "~/lib/now";

import { heights, type Bar } from "./bars.model";
import styles from "./RunBars.module.css";

/** The newest runs as bars: their colour is the state, their height the duration. */
export function RunBars({ dagId, runs }: { dagId: string; runs: Bar[] }) {
  const all = heights(runs, useNow());
  return (
    <ol className={styles.bars} aria-label={`Latest runs of ${dagId}`}>
      {runs.map((run, position) => (
        <li key={run.run_id}>
          <Link
            to="/dags/$dagId"
            params={{ dagId }}
            search={{ run: run.run_id }}
            title={`${run.run_id}: ${run.state}`}
            aria-label={`${run.run_id}: ${run.state}`}
            data-state={run.state}
            style={{ height: `${all[position] ?? 0}%` }}
          />
        </li>
      ))}
    </ol>
  );
}
