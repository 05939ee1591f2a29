import { useQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useCallback, useEffect, useMemo, useRef, useState } from "react";

import type { Schemas } from "~/api/client";
import { gridQuery } from "~/api/queries";
import { Failed } from "~/components/Failed";
import { Notice } from "~/components/Notice";

import { columnsOf, type Known, moved, type Place, versionChanges, visibleRows } from "./grid.model";
import styles from "./Grid.module.css";
import { GridRow } from "./GridRow";
import { RunHeads } from "./RunHeads";

const rowHeight = 28;
const columnWidth = 20;

export interface Selected {
  run: string | undefined;
  task: string | undefined;
}

interface Props {
  dagId: string;
  most: number;
  selected: Selected;
  onSelect: (selected: Selected) => void;
}

/** Tasks downwards, runs across, each cell in the colour of its state. */
export function Grid({ dagId, most, selected, onSelect }: Props) {
  const { data, error } = useQuery(gridQuery(dagId, most));
  if (error) return <Failed title="The grid could not be loaded" error={error} />;
  if (data === undefined) return <div className={styles.skeleton} aria-busy="true" />;
  return <Cells rows={data.rows} runs={data.runs} selected={selected} onSelect={onSelect} />;
}

interface CellsProps extends Omit<Props, "dagId" | "most"> {
  rows: Schemas["GridRowResponse"][];
  runs: Schemas["GridRunResponse"][];
}

function Cells({ rows, runs, selected, onSelect }: CellsProps) {
  const [folded, fold] = useFolded();
  const [known] = useState<Known>(() => new WeakMap());
  const scroller = useRef<HTMLDivElement>(null);
  const visible = useMemo(() => visibleRows(rows, folded), [rows, folded]);
  const columns = useMemo(() => columnsOf(rows, runs, known), [rows, runs, known]);
  const changes = useMemo(() => versionChanges(runs), [runs]);
  const down = useVirtualizer({
    count: visible.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 10,
  });
  const across = useVirtualizer({
    horizontal: true,
    count: runs.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => columnWidth,
    overscan: 8,
    // The newest run, which is the last, is what people look for.
    initialOffset: () => runs.length * columnWidth,
  });
  const shown = across.getVirtualItems();
  const first = shown[0]?.index ?? 0;
  const last = shown.at(-1)?.index ?? -1;
  const [at, moveTo] = useMoves(scroller, { row: visible.length - 1, column: runs.length - 1 }, (next) => {
    if (next.row >= 0) down.scrollToIndex(next.row);
    across.scrollToIndex(next.column);
  });
  useEffect(() => {
    const element = scroller.current;
    if (element !== null) element.scrollLeft = element.scrollWidth;
  }, [runs.length]);
  return (
    <div className={styles.scroller} ref={scroller}>
      <table
        className={styles.grid}
        aria-label="Tasks and runs"
        aria-rowcount={visible.length + 1}
        aria-colcount={runs.length + 1}
        style={{ width: `calc(16rem + ${across.getTotalSize()}px)` }}
        onKeyDown={moveTo}
      >
        <RunHeads
          runs={runs}
          changes={changes}
          first={first}
          last={last}
          chosen={selected.run}
          current={at.row < 0 ? at.column : -1}
          onSelect={onSelect}
        />
        <tbody style={{ height: down.getTotalSize() }}>
          {down.getVirtualItems().map(({ index, start }) => {
            const shownRow = visible[index];
            if (shownRow === undefined) return null;
            return (
              <GridRow
                key={shownRow.row.node_id}
                shown={shownRow}
                position={index}
                start={start}
                first={first}
                last={last}
                runs={runs}
                columns={columns}
                isFolded={folded.has(shownRow.row.node_id)}
                chosen={shownRow.row.node_id === selected.task ? selected.run : undefined}
                current={index === at.row ? at.column : -1}
                onFold={fold}
                onSelect={onSelect}
              />
            );
          })}
        </tbody>
      </table>
      {runs.length === 0 && (
        <Notice title="This DAG has no runs yet">
          <p>Trigger one, or unpause the DAG and wait for its schedule.</p>
        </Notice>
      )}
    </div>
  );
}

/** One cell can be reached by Tab; arrows lead from there to the others, wherever they are. */
function useMoves(
  scroller: React.RefObject<HTMLDivElement | null>,
  last: Place,
  show: (next: Place) => void,
): [Place, (event: React.KeyboardEvent) => void] {
  const [at, setAt] = useState<Place>();
  const isWanted = useRef(false);
  const current = at ?? { row: -1, column: last.column };
  const within = { row: Math.min(current.row, last.row), column: Math.min(current.column, last.column) };
  // A cell that was out of sight comes into being after the grid has scrolled.
  useEffect(() => {
    if (!isWanted.current) return;
    const cell = scroller.current?.querySelector<HTMLElement>(`[data-place="${within.row}:${within.column}"]`);
    if (cell == null) return;
    cell.focus({ preventScroll: true });
    isWanted.current = false;
  });
  return [
    within,
    (event) => {
      const place = (event.target as HTMLElement).dataset.place?.split(":").map(Number);
      if (place?.[0] === undefined || place[1] === undefined) return;
      const next = moved(event.key, { row: place[0], column: place[1] }, last);
      if (next === undefined) return;
      event.preventDefault();
      isWanted.current = true;
      setAt(next);
      show(next);
    },
  ];
}

function useFolded(): [ReadonlySet<string>, (group: string) => void] {
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const fold = useCallback((group: string) => {
    setFolded((before) =>
      before.has(group) ? new Set([...before].filter((each) => each !== group)) : new Set([...before, group]),
    );
  }, []);
  return [folded, fold];
}
