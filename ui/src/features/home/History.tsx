import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";

import { runHistoryQuery, taskHistoryQuery } from "~/api/around";
import type { Schemas } from "~/api/client";
import { Card } from "~/components/Card";
import { Chart } from "~/components/chart/Chart";
import { useSettings } from "~/lib/settings";
import { isActive, stateName } from "~/lib/states";
import { inZone } from "~/lib/zoned";

import { percent, type Period, periodName, periods, spanBars, stateRows } from "./history.model";
import styles from "./History.module.css";

interface Props {
  period: Period;
  onPeriod: (period: Period) => void;
}

/** How runs of the last time ended, and their tasks. */
export function History({ period, onPeriod }: Props) {
  const runs = useQuery(runHistoryQuery(period));
  const tasks = useQuery(taskHistoryQuery(period));
  return (
    <Card
      title={`Runs and tasks of the last ${periodName(period)}`}
      error={runs.error ?? tasks.error}
      isLoading={runs.isPending || tasks.isPending}
      usually={7}
      more={<Periods period={period} onPeriod={onPeriod} />}
    >
      {runs.data && tasks.data && (
        <Counted
          period={period}
          runs={runs.data}
          tasks={tasks.data}
          isOld={runs.isPlaceholderData || tasks.isPlaceholderData}
        />
      )}
    </Card>
  );
}

interface CountedProps {
  period: Period;
  runs: Schemas["RunHistoryResponse"];
  tasks: Schemas["TaskHistoryResponse"];
  /** Of the period that was chosen before, until that of this one is there. */
  isOld: boolean;
}

function Counted({ period, runs, tasks, isOld }: CountedProps) {
  const { zone } = useSettings();
  const from = dayOf(runs.spans[0]?.since ?? "", zone);
  const isNothing = Object.keys(runs.states).length === 0;
  return (
    <div className={styles.history} aria-busy={isOld}>
      {isNothing ? (
        <p className={styles.none}>
          No run has ended in this time, and none goes on. What you trigger is counted here.
        </p>
      ) : (
        <Chart
          label={`Runs that ended in the last ${periodName(period)}`}
          unit="count"
          bars={spanBars(runs.spans, runs.span_seconds, zone)}
          link={({ key, parts }, inner) => {
            if (parts.length === 0) return inner;
            const on = dayOf(key, zone);
            return (
              <Link to="/dag_runs" search={{ from: on, to: on }}>
                {inner}
              </Link>
            );
          }}
        />
      )}
      <States
        title="Runs"
        states={runs.states}
        link={(state, inner) => (
          <Link to="/dag_runs" search={{ state, ...(!isActive(state) && { from }) }}>
            {inner}
          </Link>
        )}
      />
      <States
        title="Task instances"
        states={tasks.states}
        link={(state, inner) => (
          <Link to="/task_instances" search={{ state, ...(!isActive(state) && { from }) }}>
            {inner}
          </Link>
        )}
      />
    </div>
  );
}

function dayOf(instant: string, zone: string): string {
  return inZone(instant, zone).slice(0, 10);
}

function Periods({ period, onPeriod }: Props) {
  return (
    <span className={styles.periods} role="group" aria-label="Period">
      {periods.map((each) => (
        <button
          key={each}
          type="button"
          aria-pressed={each === period}
          title={`The last ${periodName(each)}`}
          onClick={() => {
            onPeriod(each);
          }}
        >
          {each}
        </button>
      ))}
    </span>
  );
}

interface StatesProps {
  title: string;
  states: Partial<Record<string, number>>;
  link: (state: string, inner: ReactNode) => ReactNode;
}

function States({ title, states, link }: StatesProps) {
  const rows = stateRows(states);
  const all = rows.reduce((sum, { number }) => sum + number, 0);
  return (
    <section className={styles.states} aria-label={`${title} by state`}>
      <h3>
        {title} <small>{all.toLocaleString("en")}</small>
      </h3>
      <div className={styles.bar} aria-hidden="true">
        {rows.map(({ state, share }) => (
          <span key={state} data-state={state} style={{ width: `${share}%` }} />
        ))}
      </div>
      <ul>
        {rows.map(({ state, number, share }) => (
          <li key={state} data-state={state}>
            {link(state, stateName(state))}
            <span>{number.toLocaleString("en")}</span>
            <small>{percent(share)}</small>
          </li>
        ))}
      </ul>
    </section>
  );
}
