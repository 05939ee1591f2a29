import { useEffect, useMemo, useRef, useState } from "react";

import { reasonOf } from "~/api/client";
import type { TaskPlace } from "~/api/queries";
import { Button } from "~/components/Button";
import { useShortcuts } from "~/lib/shortcuts";

import { type Level, levels } from "./line.model";
import styles from "./Log.module.css";
import { type Log, logAddress } from "./useLog";

export type Times = "none" | "time" | "full";

export interface View {
  level: Level;
  source: number | undefined;
  isWrapped: boolean;
  times: Times;
  searched: string;
}

interface Props {
  log: Log;
  place: TaskPlace;
  tryNumber: number;
  view: View;
  onView: (change: Partial<View>) => void;
  found: { count: number; position: number; goTo: (position: number) => void };
  follow: { isFollowing: boolean; isLive: boolean; set: (isFollowing: boolean) => void };
}

/** What is shown of a log, and how. */
export function LogBar({ log, place, tryNumber, view, onView, found, follow }: Props) {
  const { store } = log;
  useLogKeys(view, onView);
  return (
    <div className={styles.bar} role="toolbar" aria-label="Log">
      <Search searched={view.searched} found={found} onView={onView} />
      <select
        aria-label="Lowest level"
        value={view.level}
        onChange={({ target }) => {
          onView({ level: target.value as Level });
        }}
      >
        {levels.map((level) => (
          <option key={level} value={level}>
            {level === "debug" ? "All levels" : `${level} and worse`}
          </option>
        ))}
      </select>
      {store.sources.filter(Boolean).length > 1 && (
        <select
          aria-label="Source"
          value={view.source ?? ""}
          onChange={({ target }) => {
            onView({ source: target.value === "" ? undefined : Number(target.value) });
          }}
        >
          <option value="">All sources</option>
          {store.sources.map((name, number) => (
            <option key={number} value={number}>
              {name || "(none)"}
            </option>
          ))}
        </select>
      )}
      <select
        aria-label="Times"
        value={view.times}
        onChange={({ target }) => {
          onView({ times: target.value as Times });
        }}
      >
        <option value="none">No times</option>
        <option value="time">Time of day</option>
        <option value="full">Date and time</option>
      </select>
      <label>
        <input
          type="checkbox"
          checked={view.isWrapped}
          onChange={({ target }) => {
            onView({ isWrapped: target.checked });
          }}
        />
        Wrap
      </label>
      {follow.isLive && (
        <label>
          <input
            type="checkbox"
            checked={follow.isFollowing}
            onChange={({ target }) => {
              follow.set(target.checked);
            }}
          />
          Follow
        </label>
      )}
      <span className={styles.count}>
        {store.count.toLocaleString("en")} lines{log.isComplete ? "" : " …"}
      </span>
      <Download log={log} place={place} tryNumber={tryNumber} />
    </div>
  );
}

const nextTimes = { none: "time", time: "full", full: "none" } as const;

/** Those that Airflow's logs have. */
function useLogKeys({ isWrapped, times }: View, onView: Props["onView"]): void {
  const told = useRef(onView);
  useEffect(() => {
    told.current = onView;
  }, [onView]);
  useShortcuts(
    useMemo(
      () => [
        {
          keys: "w",
          title: "Wrap long lines",
          group: "Log",
          run: () => {
            told.current({ isWrapped: !isWrapped });
          },
        },
        {
          keys: "t",
          title: "Times of lines",
          group: "Log",
          run: () => {
            told.current({ times: nextTimes[times] });
          },
        },
      ],
      [isWrapped, times],
    ),
  );
}

interface SearchProps {
  searched: string;
  found: Props["found"];
  onView: Props["onView"];
}

function Search({ searched, found, onView }: SearchProps) {
  const { count, position, goTo } = found;
  const next = () => {
    goTo(position + 1 < count ? position + 1 : 0);
  };
  const previous = () => {
    goTo(position > 0 ? position - 1 : count - 1);
  };
  return (
    <span className={styles.search}>
      <input
        type="search"
        value={searched}
        placeholder="Search in the log"
        aria-label="Search in the log"
        onChange={({ target }) => {
          onView({ searched: target.value });
        }}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          (event.shiftKey ? previous : next)();
        }}
      />
      {searched !== "" && (
        <>
          <span className={styles.count} role="status">
            {count === 0 ? "not found" : `${position + 1 || "–"} of ${count.toLocaleString("en")}`}
          </span>
          <Button aria-label="Previous" title="Previous (Shift+Enter)" disabled={count === 0} onClick={previous}>
            ↑
          </Button>
          <Button aria-label="Next" title="Next (Enter)" disabled={count === 0} onClick={next}>
            ↓
          </Button>
        </>
      )}
    </span>
  );
}

function Download({ log, place, tryNumber }: Pick<Props, "log" | "place" | "tryNumber">) {
  const [problem, setProblem] = useState<string>();
  const save = async () => {
    setProblem(undefined);
    try {
      const { store } = log;
      // What is no longer held here, the server has.
      const content = store.first > 1 ? await fromServer(place, tryNumber) : new Blob([...store.texts()]);
      offer(content, `${place.dagId}.${place.runId}.${place.taskId}.${tryNumber}.log`);
    } catch (error) {
      setProblem(error instanceof Error ? error.message : String(error));
    }
  };
  return (
    <>
      <Button onClick={() => void save()}>Download</Button>
      {problem && <span role="alert">{problem}</span>}
    </>
  );
}

async function fromServer(place: TaskPlace, tryNumber: number): Promise<Blob> {
  const response = await fetch(logAddress(place, tryNumber), { headers: { Accept: "text/plain" } });
  if (!response.ok) throw new Error(await reasonOf(response));
  return response.blob();
}

function offer(content: Blob, name: string): void {
  const address = URL.createObjectURL(content);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  URL.revokeObjectURL(address);
}
