import { type ReactNode, useId, useMemo, useState } from "react";

import { Button } from "~/components/Button";
import { Toolbar } from "~/components/Toolbar";
import { type Direction, directions } from "~/lib/settings";
import { type Shortcut, useShortcuts } from "~/lib/shortcuts";

import { countFilters, type GraphFilter } from "./filter.model";
import type { Node } from "./graph.model";
import styles from "./Graph.module.css";
import { GraphFilters } from "./GraphFilters";

interface Props {
  /** Before the others. */
  children: ReactNode;
  /** How it is shown: what else there is to choose. */
  more: ReactNode;
  search: string;
  found: string[];
  filter: GraphFilter;
  rows: Node[];
  counts: { shown: number; all: number };
  direction: Direction;
  hasOutside: boolean;
  isChosen: boolean;
  onSearch: (text: string) => void;
  onFind: (id: string) => void;
  onFilter: (filter: GraphFilter) => void;
  onDirection: (direction: Direction) => void;
  onOutside: (hasOutside: boolean) => void;
  onZoom: () => void;
  onSave: (format: "png" | "svg") => void;
}

type Part = "filters" | "view";

/** What of the graph is shown, and how. */
export function GraphTools(props: Props) {
  const { children, filter, rows, counts, isChosen, onFilter } = props;
  const number = countFilters(filter);
  const [open, setOpen] = useState<Part | undefined>(number > 0 ? "filters" : undefined);
  const [isAskedFor, setAskedFor] = useState(false);
  const id = useId();
  const toggle = (part: Part) => {
    setAskedFor(true);
    setOpen(open === part ? undefined : part);
  };
  const isOpen = open === "filters";
  useShortcuts(
    useMemo(
      (): Shortcut[] => [
        {
          keys: "mod+shift+f",
          title: "Filters of the graph",
          group: "Graph",
          run: () => {
            setAskedFor(true);
            setOpen(isOpen ? undefined : "filters");
          },
        },
      ],
      [isOpen],
    ),
  );
  return (
    <>
      <Toolbar>
        {children}
        <Find {...props} />
        <span data-push="" className={styles.parts}>
          <Button
            aria-expanded={isOpen}
            aria-controls={isOpen ? id : undefined}
            onClick={() => {
              toggle("filters");
            }}
          >
            {number === 0 ? "Filters" : `Filters (${number})`}
          </Button>
          <Button
            aria-expanded={open === "view"}
            aria-controls={open === "view" ? id : undefined}
            onClick={() => {
              toggle("view");
            }}
          >
            View
          </Button>
        </span>
      </Toolbar>
      {isOpen && (
        <GraphFilters
          id={id}
          filter={filter}
          rows={rows}
          counts={counts}
          isChosen={isChosen}
          takesFocus={isAskedFor}
          onFilter={onFilter}
        />
      )}
      {open === "view" && <HowShown id={id} {...props} />}
    </>
  );
}

function Find({ search, found, onSearch, onFind }: Props) {
  const [at, setAt] = useState(0);
  return (
    <>
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
          size={10}
          value={search}
          onChange={({ target }) => {
            setAt(0);
            onSearch(target.value);
          }}
        />
      </form>
      {search.trim() !== "" && <span role="status">{found.length === 0 ? "none" : `${found.length} found`}</span>}
    </>
  );
}

const names: Record<Direction, string> = {
  right: "to the right",
  left: "to the left",
  down: "downwards",
  up: "upwards",
};

function HowShown(props: Props & { id: string }) {
  const { id, more, direction, hasOutside, isChosen, onDirection, onOutside, onZoom, onSave } = props;
  return (
    <div id={id} role="group" aria-label="How the graph is shown" data-compact="">
      <Toolbar>
        {more}
        <label>
          Direction
          <select
            value={direction}
            onChange={({ target }) => {
              onDirection(target.value as Direction);
            }}
          >
            {directions.map((each) => (
              <option key={each} value={each}>
                {names[each]}
              </option>
            ))}
          </select>
        </label>
        <label>
          Dependencies
          <select
            value={hasOutside ? "all" : "tasks"}
            onChange={({ target }) => {
              onOutside(target.value === "all");
            }}
          >
            <option value="tasks">tasks only</option>
            <option value="all">with assets and DAGs</option>
          </select>
        </label>
        <Button disabled={!isChosen} title={isChosen ? undefined : "Choose a task first"} onClick={onZoom}>
          Zoom to the task
        </Button>
        {(["png", "svg"] as const).map((format) => (
          <Button
            key={format}
            aria-label={`Download as ${format.toUpperCase()}`}
            onClick={() => {
              onSave(format);
            }}
          >
            ⤓ {format.toUpperCase()}
          </Button>
        ))}
      </Toolbar>
    </div>
  );
}
