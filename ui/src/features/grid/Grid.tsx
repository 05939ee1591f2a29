import { useQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import {
  type CSSProperties,
  type ReactNode,
  type SyntheticEvent,
  useCallback,
  useEffect,
  useMemo,
  useRef,
  useState,
} from "react";

import type { Schemas } from "~/api/client";
import { gridQuery, type GridParameters } from "~/api/queries";
import { Failed } from "~/components/Failed";
import { Notice } from "~/components/Notice";

import {
  columnsOf,
  foundRows,
  type Known,
  namesWidth,
  placeOf,
  type Row,
  type Selected,
  selectionOf,
  versionChanges,
} from "./grid.model";
import styles from "./Grid.module.css";
import { GridRow } from "./GridRow";
import { RunHeads } from "./RunHeads";
import { useMoves } from "./useMoves";

const rowHeight = 28;
const columnWidth = 20;

interface Props {
  dagId: string;
  wanted: GridParameters;
  /** A part of the names of the tasks that are looked for. */
  search: string;
  selected: Selected;
  onSelect: (selected: Selected) => void;
}

/** Tasks downwards, runs across, each cell in the colour of its state. */
export function Grid({ dagId, wanted, search, selected, onSelect }: Props) {
  const { data, error, isPlaceholderData } = useQuery(gridQuery(dagId, wanted));
  if (error) return <Failed title="The grid could not be loaded" error={error} />;
  if (data === undefined) return <div className={styles.skeleton} aria-busy="true" />;
  return (
    <Cells
      rows={data.rows}
      runs={data.runs}
      isOld={isPlaceholderData}
      search={search}
      selected={selected}
      onSelect={onSelect}
    >
      {data.runs.length === 0 && <NoRuns wanted={wanted} />}
    </Cells>
  );
}

function NoRuns({ wanted }: { wanted: GridParameters }) {
  if (Object.keys(wanted).some((name) => name !== "most")) {
    return (
      <Notice title="No run fits the filters">
        <p>Take one of them back, or look at the newest runs.</p>
      </Notice>
    );
  }
  return (
    <Notice title="This DAG has no runs yet">
      <p>Trigger one, or unpause the DAG and wait for its schedule.</p>
    </Notice>
  );
}

interface CellsProps extends Omit<Props, "dagId" | "wanted"> {
  rows: Schemas["GridRowResponse"][];
  runs: Schemas["GridRunResponse"][];
  /** Other runs were asked for; these stay until they come. */
  isOld: boolean;
  children: ReactNode;
}

function Cells({ rows, runs, isOld, search, selected, onSelect, children }: CellsProps) {
  const [folded, fold] = useFolded();
  const [known] = useState<Known>(() => new WeakMap());
  const scroller = useRef<HTMLDivElement>(null);
  const visible = useMemo(() => foundRows(rows, folded, search), [rows, folded, search]);
  const columns = useMemo(() => columnsOf(rows, runs, known), [rows, runs, known]);
  const changes = useMemo(() => versionChanges(runs), [runs]);
  const width = useMemo(() => namesWidth(rows), [rows]);
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
  const [at, moveTo] = useMoves({
    scroller,
    last: { row: visible.length - 1, column: runs.length - 1 },
    chosen: placeOf(selected, visible, runs),
    show: (next) => {
      if (next.row >= 0) down.scrollToIndex(next.row);
      across.scrollToIndex(next.column);
    },
    choose: (next) => {
      onSelect(selectionOf(visible[next.row]?.row, runs[next.column]?.run_id));
    },
    fold: () => {
      const group = selected.group ?? rows.find(({ node_id }) => node_id === selected.task)?.parent_id;
      if (group != null) fold(group);
    },
  });
  const [line, point, leave] = useCrosshair();
  useEffect(() => {
    const element = scroller.current;
    if (element !== null) element.scrollLeft = element.scrollWidth;
  }, [runs.length]);
  return (
    <div className={styles.scroller} ref={scroller} aria-busy={isOld} style={{ "--names": width } as CSSProperties}>
      <table
        className={styles.grid}
        aria-label="Tasks and runs"
        aria-rowcount={visible.length + 1}
        aria-colcount={runs.length + 1}
        style={{ width: `calc(var(--names) + ${across.getTotalSize()}px)` }}
        onKeyDown={(event) => {
          const group = groupAt(event.target, visible);
          if (event.key === " " && group !== undefined) {
            // Not a click, which chooses it, and not once more for the group of what is chosen.
            event.preventDefault();
            event.stopPropagation();
            fold(group);
          } else {
            moveTo(event);
          }
        }}
        onPointerOver={point}
        onPointerLeave={leave}
        onFocus={point}
        onBlur={leave}
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
            const shownRow: Row | undefined = visible[index];
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
                isFolded={search.trim() === "" && folded.has(shownRow.row.node_id)}
                chosen={shownRow.row.node_id === (selected.task ?? selected.group) ? selected.run : undefined}
                current={index === at.row ? at.column : -1}
                onFold={fold}
                onSelect={onSelect}
              />
            );
          })}
        </tbody>
      </table>
      <div
        ref={line}
        className={styles.crosshair}
        style={{ height: `calc(5rem + ${down.getTotalSize()}px)` }}
        aria-hidden="true"
        hidden
      />
      {visible.length === 0 && rows.length > 0 && (
        <Notice title="No task fits">
          <p>Look for a shorter part of its name.</p>
        </Notice>
      )}
      {children}
    </div>
  );
}

/** The group whose cell this is; undefined where it is none. */
function groupAt(target: EventTarget, visible: readonly Row[]): string | undefined {
  const place = target instanceof HTMLElement ? target.dataset.place : undefined;
  const row = place === undefined ? undefined : visible[Number.parseInt(place, 10)]?.row;
  return row?.is_group === true ? row.node_id : undefined;
}

/** The column that is pointed at. Nothing is rendered again for it: the pointer passes over many. */
function useCrosshair(): [React.RefObject<HTMLDivElement | null>, (event: SyntheticEvent) => void, () => void] {
  const line = useRef<HTMLDivElement>(null);
  const leave = useCallback(() => {
    if (line.current !== null) line.current.hidden = true;
  }, []);
  const point = useCallback(
    ({ target }: SyntheticEvent) => {
      const column = Number((target as HTMLElement).closest("[aria-colindex]")?.getAttribute("aria-colindex") ?? 0) - 2;
      if (column < 0 || line.current === null) {
        leave();
        return;
      }
      line.current.hidden = false;
      line.current.style.left = `calc(var(--names) + ${column * columnWidth}px)`;
    },
    [leave],
  );
  return [line, point, leave];
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
