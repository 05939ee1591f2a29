import { useQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { type KeyboardEvent, type ReactNode, useMemo, useRef, useState } from "react";

import { ganttQuery } from "~/api/dagQueries";
import { Button } from "~/components/Button";
import { Failed } from "~/components/Failed";
import { Skeleton } from "~/components/Skeleton";
import { Toolbar } from "~/components/Toolbar";
import { useNow } from "~/lib/now";
import { stateName } from "~/lib/states";
import { duration } from "~/lib/time";

import { type Extent, extent, type Line, lines, share, ticks, type Try } from "./gantt.model";
import styles from "./Gantt.module.css";
import { Tip, type Told } from "./Tip";

const rowHeight = 28;
const closest = 64;
const legend = ["scheduled", "queued", "running", "deferred", "up_for_retry"];

interface Props {
  dagId: string;
  runId: string;
  /** Tasks as they are shown elsewhere. */
  order: string[];
  task: string | undefined;
  onSelect: (task: string) => void;
  /** What else it can be told, such as the run. */
  children?: ReactNode;
}

/** When what happened to the tasks of a run. */
export function Gantt({ dagId, runId, order, task, onSelect, children }: Props) {
  const { data, error } = useQuery(ganttQuery(dagId, runId));
  const now = useNow();
  const moment = data?.end_date == null ? now : Date.parse(data.end_date);
  const all = useMemo(() => lines(data?.attempts ?? [], order, moment), [data, order, moment]);
  const [zoom, setZoom] = useState(1);
  if (error) return <Failed title="The run could not be loaded" error={error} />;
  if (data === undefined) return <Skeleton />;
  return (
    <>
      <Toolbar>
        {children}
        <ul className={styles.legend} aria-label="Colours">
          {legend.map((state) => (
            <li key={state} data-state={state}>
              {stateName(state)}
            </li>
          ))}
        </ul>
        <span data-push>
          <Button
            aria-label="Show more time"
            disabled={zoom <= 1}
            onClick={() => {
              setZoom(zoom / 2);
            }}
          >
            −
          </Button>{" "}
          <Button
            aria-label="Look closer"
            disabled={zoom >= closest}
            onClick={() => {
              setZoom(zoom * 2);
            }}
          >
            +
          </Button>
        </span>
      </Toolbar>
      <Chart
        all={all}
        span={extent(all, { start: data.start_date, end: data.end_date }, moment)}
        zoom={zoom}
        onZoom={setZoom}
        task={task}
        onSelect={onSelect}
      />
    </>
  );
}

interface ChartProps extends Pick<Props, "task" | "onSelect"> {
  all: Line[];
  span: Extent;
  zoom: number;
  onZoom: (zoom: number) => void;
}

function Chart({ all, span, zoom, onZoom, task, onSelect }: ChartProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const [told, tell] = useState<Told>();
  const rows = useVirtualizer({
    count: all.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 10,
  });
  const marks = ticks(span, 8 * zoom);
  return (
    <div
      className={styles.scroller}
      ref={scroller}
      onKeyDown={(event) => {
        if (event.key === "+" && zoom < closest) onZoom(zoom * 2);
        if (event.key === "-" && zoom > 1) onZoom(zoom / 2);
        moveFocus(event);
      }}
    >
      <div className={styles.chart} style={{ width: `calc(14rem + (100% - 14rem) * ${zoom})` }}>
        <div className={styles.head} aria-hidden="true">
          <div className={styles.time}>
            {marks.map((seconds) => (
              <span key={seconds} style={{ left: `${share(span.from + seconds * 1000, span)}%` }}>
                {seconds === 0 ? "0" : duration(seconds)}
              </span>
            ))}
          </div>
        </div>
        <ul className={styles.rows} style={{ height: rows.getTotalSize() }} aria-label="Tasks in time">
          {rows.getVirtualItems().map(({ index, start }) => {
            const line = all[index];
            if (line === undefined) return null;
            return (
              <li
                key={line.id}
                data-chosen={line.taskId === task}
                style={{ transform: `translateY(${start}px)` }}
                title={line.label}
              >
                <span className={styles.label}>{line.label}</span>
                <span className={styles.time}>
                  {line.tries.map((each, number) => (
                    <Bar key={number} line={line} each={each} span={span} tell={tell} onSelect={onSelect} />
                  ))}
                </span>
              </li>
            );
          })}
        </ul>
      </div>
      {told && <Tip {...told} />}
    </div>
  );
}

interface BarProps {
  line: Line;
  each: Try;
  span: Extent;
  tell: (told: Told | undefined) => void;
  onSelect: (task: string) => void;
}

function Bar({ line, each, span, tell, onSelect }: BarProps) {
  const from = Math.min(...each.segments.map((segment) => segment.from));
  const to = Math.max(...each.segments.map((segment) => segment.to));
  const whole = { from, to: Math.max(to, from + 1) };
  const show = (element: HTMLElement) => {
    tell({ line, each, place: element.getBoundingClientRect() });
  };
  return (
    <button
      type="button"
      className={styles.bar}
      data-bar=""
      aria-label={`${line.label}, try ${each.number}: ${each.segments
        .map((part) => `${stateName(part.state)} ${duration((part.to - part.from) / 1000)}`)
        .join(", ")}`}
      style={{ left: `${share(from, span)}%`, width: `${share(whole.to, span) - share(from, span)}%` }}
      onFocus={({ currentTarget }) => {
        show(currentTarget);
      }}
      onMouseEnter={({ currentTarget }) => {
        show(currentTarget);
      }}
      onBlur={() => {
        tell(undefined);
      }}
      onMouseLeave={() => {
        tell(undefined);
      }}
      onClick={() => {
        onSelect(line.taskId);
      }}
    >
      {each.segments.map((part) => (
        <span
          key={`${part.state} ${part.from}`}
          data-state={part.state === "running" ? ended(each.state) : part.state}
          data-thin={part.state !== "running"}
          style={{ left: `${share(part.from, whole)}%`, width: `${share(part.to, whole) - share(part.from, whole)}%` }}
        />
      ))}
    </button>
  );
}

const results = new Set(["success", "failed", "skipped", "upstream_failed", "up_for_retry"]);

/** The time in which it ran is shown as it ended. */
function ended(state: string): string {
  return results.has(state) ? (state === "up_for_retry" ? "failed" : state) : "running";
}

function moveFocus(event: KeyboardEvent<HTMLElement>): void {
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (step === 0) return;
  const bars = [...event.currentTarget.querySelectorAll<HTMLElement>("[data-bar]")];
  const at = bars.findIndex((bar) => bar === event.target);
  if (at < 0) return;
  event.preventDefault();
  bars[at + step]?.focus();
}
