import type { TaskPlace } from "~/api/queries";
import { Button } from "~/components/Button";

import { type Level, levels } from "./line.model";
import styles from "./Log.module.css";
import { useDownload } from "./useDownload";
import type { Log } from "./useLog";
import { useLogKeys } from "./useLogKeys";

export type Times = "none" | "time" | "full";

export interface View {
  level: Level;
  source: number | undefined;
  isWrapped: boolean;
  times: Times;
  /** Whether each line says which logger wrote it. */
  isSourced: boolean;
  /** Whether groups are open, unless somebody has folded one. */
  areOpen: boolean;
  /** Whether it fills the window. */
  isFull: boolean;
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
  onEnd: (end: "first" | "last") => void;
}

/** What is shown of a log, and how. */
export function LogBar({ log, place, tryNumber, view, onView, found, follow, onEnd }: Props) {
  const { store } = log;
  const sources = store.sources.filter(Boolean).length > 1 ? store.sources : [];
  const download = useDownload(log, place, tryNumber);
  useLogKeys(view, { onView, onEnd, onDownload: download.save });
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
      {/* Also before there are any, so that nothing moves when they come. */}
      <select
        aria-label="Source"
        disabled={sources.length === 0}
        value={view.source ?? ""}
        onChange={({ target }) => {
          onView({ source: target.value === "" ? undefined : Number(target.value) });
        }}
      >
        <option value="">All sources</option>
        {sources.map((name, number) => (
          <option key={number} value={number}>
            {name || "(none)"}
          </option>
        ))}
      </select>
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
      <Check
        title="Wrap"
        keys="w"
        isOn={view.isWrapped}
        onChange={(isWrapped) => {
          onView({ isWrapped });
        }}
      />
      <Check
        title="Loggers"
        keys="s"
        isOn={view.isSourced}
        onChange={(isSourced) => {
          onView({ isSourced });
        }}
      />
      <Check
        title="Open groups"
        keys="e"
        isOn={view.areOpen}
        onChange={(areOpen) => {
          onView({ areOpen });
        }}
      />
      {follow.isLive && <Check title="Follow" isOn={follow.isFollowing} onChange={follow.set} />}
      <span className={styles.count}>
        {store.count.toLocaleString("en")} lines{log.isComplete ? "" : " …"}
      </span>
      <Button title="Download (d)" onClick={download.save}>
        Download
      </Button>
      <Button
        title={view.isFull ? "Back to the page (f)" : "Fill the window (f)"}
        aria-pressed={view.isFull}
        onClick={() => {
          onView({ isFull: !view.isFull });
        }}
      >
        {view.isFull ? "Smaller" : "Larger"}
      </Button>
      {download.problem && <span role="alert">{download.problem}</span>}
    </div>
  );
}

interface CheckProps {
  title: string;
  /** That do the same. */
  keys?: string;
  isOn: boolean;
  onChange: (isOn: boolean) => void;
}

function Check({ title, keys, isOn, onChange }: CheckProps) {
  return (
    <label title={keys && `${title} (${keys})`}>
      <input
        type="checkbox"
        checked={isOn}
        onChange={({ target }) => {
          onChange(target.checked);
        }}
      />
      {title}
    </label>
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
