import { type ReactNode, useState } from "react";

import { Toolbar } from "~/components/Toolbar";

import type { Around, Direction } from "./graph.model";

interface Props {
  /** Before the others. */
  children: ReactNode;
  search: string;
  found: string[];
  direction: Direction;
  around: Around | undefined;
  isChosen: boolean;
  onSearch: (text: string) => void;
  onDirection: (direction: Direction) => void;
  onAround: (around: Around | undefined) => void;
  onFind: (id: string) => void;
}

/** What of the graph is shown, and how. */
export function GraphTools(props: Props) {
  const { children, search, found, direction, around, isChosen, onSearch, onDirection, onAround, onFind } = props;
  const [at, setAt] = useState(0);
  return (
    <Toolbar>
      {children}
      <form
        role="search"
        onSubmit={(event) => {
          event.preventDefault();
          const id = found[at % Math.max(found.length, 1)];
          if (id === undefined) return;
          setAt(at + 1);
          onFind(id);
        }}
      >
        <input
          type="search"
          aria-label="Find a task"
          placeholder="Find a task"
          title="Enter leads from one to the next"
          value={search}
          onChange={({ target }) => {
            setAt(0);
            onSearch(target.value);
          }}
        />
      </form>
      {search.trim() !== "" && <span role="status">{found.length === 0 ? "none" : `${found.length} found`}</span>}
      <label title={isChosen ? undefined : "Choose a task first"}>
        Show
        <select
          value={around ?? ""}
          disabled={!isChosen}
          onChange={({ target }) => {
            onAround(target.value === "" ? undefined : (target.value as Around));
          }}
        >
          <option value="">all tasks</option>
          <option value="upstream">upstream</option>
          <option value="downstream">downstream</option>
          <option value="both">up- and downstream</option>
        </select>
      </label>
      <label data-push="">
        Direction
        <select
          value={direction}
          onChange={({ target }) => {
            onDirection(target.value as Direction);
          }}
        >
          <option value="RIGHT">to the right</option>
          <option value="DOWN">downwards</option>
        </select>
      </label>
    </Toolbar>
  );
}
