import { useQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { memo, type ReactNode, useMemo, useRef, useState } from "react";

import type { Schemas } from "~/api/client";
import { dagRunQuery, runTasksQuery } from "~/api/dagQueries";
import { Moment } from "~/components/Moment";
import { Failed } from "~/components/Failed";
import { Notice } from "~/components/Notice";
import { Skeleton } from "~/components/Skeleton";
import { State } from "~/components/State";
import { Toolbar } from "~/components/Toolbar";
import { useNow } from "~/lib/now";
import { stateName } from "~/lib/states";
import { between, duration } from "~/lib/time";

import { type Compared, compared, longest, type Order, type Side, sorted, values } from "./compare.model";
import styles from "./Compare.module.css";

const rowHeight = 34;

interface Props {
  dagId: string;
  left: string;
  right: string;
  order: string[];
  link: (runId: string, taskId?: string) => ReactNode;
}

/** Two runs side by side. */
export function Compare({ dagId, left, right, order, link }: Props) {
  const runs = [useQuery(dagRunQuery(dagId, left)), useQuery(dagRunQuery(dagId, right))] as const;
  const { data, error } = useQuery(runTasksQuery(dagId, [...new Set([left, right])]));
  const problem = error ?? runs[0].error ?? runs[1].error;
  const now = useNow();
  const isOver = runs.every(({ data: run }) => run?.end_date != null);
  const moment = isOver ? 0 : now;
  const all = useMemo(() => {
    const tasksOf = (id: string) => data?.runs.find(({ run_id }) => run_id === id)?.tasks ?? [];
    return compared(tasksOf(left), tasksOf(right), order, moment);
  }, [data, left, right, order, moment]);
  if (problem) return <Failed title="The runs cannot be compared" error={problem} />;
  if (runs[0].data === undefined || runs[1].data === undefined) return <Skeleton />;
  return (
    <>
      <Runs left={runs[0].data} right={runs[1].data} link={link} />
      <Tasks all={all} link={(taskId) => link(right, taskId)} />
    </>
  );
}

type Run = Schemas["DAGRunResponse"];

const versions = (run: Run) => run.dag_versions.map(({ version_number }) => version_number).join(", ");

function Runs({ left, right, link }: { left: Run; right: Run; link: Props["link"] }) {
  const now = useNow();
  const took = (run: Run) => {
    const seconds = between(run.start_date, run.end_date, now);
    return seconds === undefined ? "–" : duration(seconds);
  };
  const facts: [string, ReactNode, ReactNode, boolean][] = [
    ["State", <State key="l" state={left.state} />, <State key="r" state={right.state} />, left.state !== right.state],
    ["Took", took(left), took(right), false],
    ["Started", <Moment key="l" at={left.start_date} exact />, <Moment key="r" at={right.start_date} exact />, false],
    ["Type", left.run_type, right.run_type, left.run_type !== right.run_type],
    ["Version", versions(left), versions(right), versions(left) !== versions(right)],
    ...values(left.conf, right.conf).map(
      ({ name, left: one, right: other }): [string, ReactNode, ReactNode, boolean] => [
        `conf: ${name}`,
        <code key="l">{one}</code>,
        <code key="r">{other}</code>,
        one !== other,
      ],
    ),
    ...(left.note || right.note
      ? [["Note", left.note, right.note, false] as [string, ReactNode, ReactNode, boolean]]
      : []),
  ];
  return (
    <table className={styles.runs} aria-label="Runs">
      <thead>
        <tr>
          <td />
          <th scope="col">{link(left.dag_run_id)}</th>
          <th scope="col">{link(right.dag_run_id)}</th>
        </tr>
      </thead>
      <tbody>
        {facts.map(([name, one, other, isChanged]) => (
          <tr key={name} data-changed={isChanged}>
            <th scope="row">{name}</th>
            <td>{one}</td>
            <td>{other}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Tasks({ all, link }: { all: Compared[]; link: (taskId: string) => ReactNode }) {
  const [by, setBy] = useState<Order>("dag");
  const [isBrief, setBrief] = useState(false);
  const shown = useMemo(() => sorted(isBrief ? all.filter((each) => each.isChanged) : all, by), [all, by, isBrief]);
  const scroller = useRef<HTMLDivElement>(null);
  const rows = useVirtualizer({
    count: shown.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 10,
  });
  const most = longest(all);
  return (
    <>
      <Toolbar>
        <label>
          Order
          <select
            value={by}
            onChange={({ target }) => {
              setBy(target.value as Order);
            }}
          >
            <option value="dag">As in the DAG</option>
            <option value="difference">What became slower first</option>
          </select>
        </label>
        <label>
          <input
            type="checkbox"
            checked={isBrief}
            onChange={({ target }) => {
              setBrief(target.checked);
            }}
          />
          Only other states
        </label>
      </Toolbar>
      <div className={styles.scroller} ref={scroller} tabIndex={0} role="region" aria-label="Tasks of both runs">
        {shown.length === 0 && (
          <Notice title="All tasks are in the same state in both">
            <p>Without “Only other states”, their durations are compared.</p>
          </Notice>
        )}
        <ul className={styles.rows} style={{ height: rows.getTotalSize() }}>
          {rows.getVirtualItems().map(({ index, start }) => {
            const each = shown[index];
            return (
              each && (
                <li key={each.taskId} data-changed={each.isChanged} style={{ transform: `translateY(${start}px)` }}>
                  <Row each={each} most={most}>
                    {link(each.taskId)}
                  </Row>
                </li>
              )
            );
          })}
        </ul>
      </div>
    </>
  );
}

const Row = memo(function Row({ each, most, children }: { each: Compared; most: number; children: ReactNode }) {
  return (
    <>
      <span className={styles.task}>{children}</span>
      <Bar side={each.left} most={most} />
      <Bar side={each.right} most={most} />
      <span className={styles.difference} data-slower={(each.difference ?? 0) > 0}>
        {each.difference !== undefined && Math.abs(each.difference) >= 0.1 && (
          <>
            {each.difference > 0 ? "+" : "−"}
            {duration(Math.abs(each.difference))}
          </>
        )}
      </span>
    </>
  );
});

function Bar({ side, most }: { side: Side | undefined; most: number }) {
  if (side === undefined) return <span className={styles.none}>not in this run</span>;
  return (
    <span className={styles.bar} data-state={side.state ?? "none"}>
      <span aria-hidden="true">
        <span style={{ width: `${((side.seconds ?? 0) / most) * 100}%` }} />
      </span>
      <small>
        {stateName(side.state)}
        {side.copies > 1 && ` ×${side.copies}`}
        {side.seconds !== undefined && `, ${duration(side.seconds)}`}
        {side.tries > 1 && `, ${side.tries} tries`}
      </small>
    </span>
  );
}
