import { useLayoutEffect, useMemo, useRef, useState } from "react";

import type { TaskPlace } from "~/api/queries";
import { Notice } from "~/components/Notice";

import { Layout, scrollTo, type Wanted, windowAt } from "./layout.model";
import { levels } from "./line.model";
import styles from "./Log.module.css";
import { LogBar, type View } from "./LogBar";
import { LogRow } from "./LogRow";
import { useFound } from "./useFound";
import { useLog } from "./useLog";
import { useRoom } from "./useRoom";

interface Props {
  place: TaskPlace;
  tryNumber: number;
  /** Of the task; only its latest try goes on. */
  state: string | null;
}

const lineHeight = 20;

/** The log of a try: as long as it gets, and while it is written. */
export function Log({ place, tryNumber, state }: Props) {
  const log = useLog(place, tryNumber, state);
  const isLive = state === "running";
  const { store, version } = log;
  const [view, setView] = useState<View>({
    level: "debug",
    source: undefined,
    isWrapped: true,
    times: "time",
    isSourced: false,
    areOpen: false,
    isFull: false,
    searched: "",
  });
  /** Groups that are not as all others. */
  const [turned, setTurned] = useState<ReadonlySet<number>>(new Set());
  const [current, setCurrent] = useState<number>();
  const [isFollowing, setFollowing] = useState(isLive);
  const [scrolled, setScrolled] = useState(0);
  const scroller = useRef<HTMLDivElement>(null);
  const room = useRoom(scroller, `${view.times} ${view.isSourced} ${view.isFull}`);
  const { level, source, isWrapped, areOpen } = view;
  const columns = isWrapped ? room.columns : undefined;
  const wanted = useMemo(
    (): Wanted => ({ level: levels.indexOf(level), source, areOpen, turned, columns }),
    [level, source, areOpen, turned, columns],
  );
  const layout = useLayout(store, version, wanted);
  const found = useFound(store, version, view.searched);
  const shown = useMemo(
    () => found.filter((number) => number >= store.first && layout.shows(number)),
    [found, store, layout],
  );

  useLayoutEffect(() => {
    if (isFollowing && scroller.current) scroller.current.scrollTop = scroller.current.scrollHeight;
  }, [isFollowing, version, layout]);

  const goTo = (position: number) => {
    const number = shown[position];
    if (number === undefined || scroller.current === null) return;
    setFollowing(false);
    setCurrent(number);
    scroller.current.scrollTop = scrollTo(layout, layout.positionOf(number), room.height, lineHeight);
  };
  const toggle = (group: number) => {
    const next = new Set(turned);
    if (!next.delete(group)) next.add(group);
    setFollowing(false);
    setTurned(next);
  };
  const change = (next: Partial<View>) => {
    if (next.areOpen !== undefined) setTurned(new Set());
    setView((before) => ({ ...before, ...next }));
  };
  const goToEnd = (end: "first" | "last") => {
    const element = scroller.current;
    if (element === null) return;
    setFollowing(isLive && end === "last");
    element.scrollTop = end === "first" ? 0 : element.scrollHeight;
  };
  const { height, from, to, top } = windowAt(layout, scrolled, room.height, lineHeight);
  return (
    <section
      className={styles.log}
      aria-label="Log"
      data-full={view.isFull}
      onKeyDown={({ key, target }) => {
        if (key === "Escape" && view.isFull && !(target instanceof HTMLInputElement)) change({ isFull: false });
      }}
    >
      <LogBar
        log={log}
        place={place}
        tryNumber={tryNumber}
        view={view}
        onView={change}
        onEnd={goToEnd}
        found={{ count: shown.length, position: current === undefined ? -1 : shown.indexOf(current), goTo }}
        follow={{ isFollowing, isLive, set: setFollowing }}
      />
      {log.error && <p role="alert">The log could not be read to its end: {log.error.message}</p>}
      {store.first > 1 && (
        <p className={styles.hint}>
          The first {store.first - 1} lines are not kept here: download the log to see them.
        </p>
      )}
      <div
        className={styles.lines}
        ref={scroller}
        tabIndex={0}
        role="log"
        aria-label="Lines"
        aria-live="off"
        data-wrapped={isWrapped}
        onScroll={({ currentTarget }) => {
          const { scrollTop, scrollHeight, clientHeight } = currentTarget;
          setScrolled(scrollTop);
          setFollowing(isLive && scrollHeight - scrollTop - clientHeight < 2 * lineHeight);
        }}
      >
        <div style={{ height }} className={styles.all}>
          <ol className={styles.window} style={{ transform: `translateY(${top}px)` }}>
            {Array.from({ length: to - from }, (_, position) => {
              const row = store.row(layout.at(from + position));
              return (
                <LogRow
                  key={row.number}
                  row={row}
                  searched={view.searched}
                  times={view.times}
                  isCurrent={row.number === current}
                  isSourced={view.isSourced}
                  isOpen={view.areOpen !== turned.has(row.number)}
                  onToggle={toggle}
                />
              );
            })}
          </ol>
        </div>
        {log.isComplete && layout.count === 0 && (
          <Notice
            title={
              store.count === 0
                ? isLive
                  ? "Nothing was logged yet"
                  : "Nothing was logged"
                : "No line is of this level and source"
            }
          >
            <p>
              {store.count > 0
                ? "Choose other levels or sources above."
                : isLive
                  ? "What the task writes is shown here while it is written."
                  : "What a task prints or logs is shown here."}
            </p>
          </Notice>
        )}
      </div>
    </section>
  );
}

/** Grows with the store; made anew when something else is wanted, or rows are gone. */
function useLayout(store: Parameters<typeof make>[0], version: number, wanted: Wanted): Layout {
  const { first } = store;
  const made = useMemo(() => ({ layout: make(store, wanted), first }), [store, wanted, first]);
  return useMemo(() => {
    made.layout.extend();
    return version >= 0 ? made.layout : made.layout;
  }, [made, version]);
}

function make(...given: ConstructorParameters<typeof Layout>): Layout {
  return new Layout(...given);
}
