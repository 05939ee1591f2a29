import { memo } from "react";

import { stateName, type TaskState } from "~/lib/states";

import { type Row, type Selected, selectionOf } from "./grid.model";
import styles from "./Grid.module.css";

const columnWidth = 20;

interface Props {
  shown: Row;
  position: number;
  start: number;
  /** The columns that are in sight. */
  first: number;
  last: number;
  runs: { run_id: string }[];
  columns: (TaskState | undefined)[][];
  isFolded: boolean;
  /** The run in which this task is chosen. */
  chosen: string | undefined;
  /** The column that Tab leads to; -1: none of this row. */
  current: number;
  onFold: (group: string) => void;
  onSelect: (selected: Selected) => void;
}

/** A task or a group, and its cells in sight. Thousands of them come and go, so only what changed is drawn again. */
export const GridRow = memo(function GridRow(props: Props) {
  const { shown, position, start, first, last, runs, isFolded, onFold } = props;
  const { row, depth } = shown;
  return (
    <tr aria-rowindex={position + 2} style={{ transform: `translateY(${start}px)` }}>
      <th scope="row" style={{ paddingLeft: `${depth + 0.5}rem` }} title={row.node_id}>
        {row.is_group ? (
          <button
            type="button"
            aria-expanded={!isFolded}
            onClick={() => {
              onFold(row.node_id);
            }}
          >
            {isFolded ? "▸" : "▾"} {row.label}
          </button>
        ) : (
          <>
            {row.label}
            {row.is_mapped && " [ ]"}
          </>
        )}
      </th>
      {runs.slice(first, last + 1).map((run, number) => (
        <Cell key={run.run_id} {...props} run={run} column={first + number} isFirst={number === 0} />
      ))}
    </tr>
  );
});

interface CellProps extends Props {
  run: { run_id: string };
  column: number;
  isFirst: boolean;
}

function Cell({ shown, position, columns, first, chosen, current, onSelect, run, column, isFirst }: CellProps) {
  const { row, number } = shown;
  const state = columns[column]?.[number];
  return (
    <td aria-colindex={column + 2} style={isFirst ? { marginLeft: first * columnWidth } : undefined}>
      {state === undefined ? (
        <span
          role="img"
          data-place={`${position}:${column}`}
          tabIndex={-1}
          aria-label={`${row.node_id} is not in ${run.run_id}`}
        />
      ) : (
        <button
          type="button"
          className={styles.cell}
          data-state={state}
          data-group={row.is_group}
          data-place={`${position}:${column}`}
          tabIndex={column === current ? 0 : -1}
          aria-pressed={run.run_id === chosen}
          aria-label={`${row.node_id} in ${run.run_id}: ${stateName(state)}`}
          title={`${row.node_id}: ${stateName(state)}`}
          onClick={() => {
            onSelect(selectionOf(row, run.run_id));
          }}
        />
      )}
    </td>
  );
}
