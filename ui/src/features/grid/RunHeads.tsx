import { memo } from "react";

import type { Schemas } from "~/api/client";
import { useNow } from "~/lib/now";
import { between, duration } from "~/lib/time";

import { barHeights } from "./grid.model";
import styles from "./Grid.module.css";

const columnWidth = 20;
const signs: Partial<Record<string, string>> = {
  manual: "▸",
  backfill: "↺",
  asset_triggered: "◆",
  asset_materialization: "◆",
};

interface Props {
  runs: Schemas["GridRunResponse"][];
  /** Which of them begin another version. */
  changes: boolean[];
  first: number;
  last: number;
  chosen: string | undefined;
  current: number;
  onSelect: (selected: { run: string | undefined; task: string | undefined }) => void;
}

/** The runs as bars: their colour is the state, their height the duration. */
export function RunHeads({ runs, changes, first, last, chosen, current, onSelect }: Props) {
  const now = useNow();
  const isGoingOn = runs.some(({ start_date, end_date }) => start_date !== null && end_date === null);
  const heights = barHeights(runs, isGoingOn ? now : 0);
  return (
    <thead>
      <tr aria-rowindex={1}>
        <th scope="col">Task</th>
        {runs.slice(first, last + 1).map((run, number) => (
          <Head
            key={run.run_id}
            run={run}
            column={first + number}
            height={heights[first + number] ?? 0}
            isNewVersion={changes[first + number] ?? false}
            space={number === 0 ? first * columnWidth : 0}
            isChosen={run.run_id === chosen}
            isCurrent={first + number === current}
            now={run.end_date === null ? now : 0}
            onSelect={onSelect}
          />
        ))}
      </tr>
    </thead>
  );
}

interface HeadProps {
  run: Schemas["GridRunResponse"];
  column: number;
  height: number;
  isNewVersion: boolean;
  /** That which is out of sight before it. */
  space: number;
  isChosen: boolean;
  isCurrent: boolean;
  now: number;
  onSelect: Props["onSelect"];
}

const Head = memo(function Head(props: HeadProps) {
  const { run, column, height, isNewVersion, space, isChosen, isCurrent, now, onSelect } = props;
  const seconds = between(run.start_date, run.end_date, now);
  const words = [
    `${run.run_id}: ${run.state}`,
    ...(seconds === undefined ? [] : [duration(seconds)]),
    ...(isNewVersion ? [`version ${run.version} begins`] : []),
  ].join(", ");
  return (
    <th
      scope="col"
      aria-colindex={column + 2}
      data-version={isNewVersion}
      style={space > 0 ? { marginLeft: space } : undefined}
    >
      <button
        type="button"
        className={styles.run}
        data-state={run.state}
        data-place={`-1:${column}`}
        tabIndex={isCurrent ? 0 : -1}
        aria-pressed={isChosen}
        aria-label={words}
        title={`${words}\nversion ${run.version}, ${run.run_type.replace("_", " ")}`}
        onClick={() => {
          onSelect({ run: run.run_id, task: undefined });
        }}
      >
        <span style={{ height: `${height}%` }} />
      </button>
      <small aria-hidden="true">{signs[run.run_type] ?? ""}</small>
    </th>
  );
});
