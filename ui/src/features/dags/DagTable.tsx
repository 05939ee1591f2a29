import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, useState } from "react";

import { favoritesQuery } from "~/api/around";
import type { Schemas } from "~/api/client";
import { useMay } from "~/api/permissions";
import { dagsAtOnce, dagsQuery, type DagsParameters } from "~/api/queries";
import { Moment } from "~/components/Moment";
import { Failed } from "~/components/Failed";
import { useNow } from "~/lib/now";

import { changed, type Choice, type ChosenDag } from "./choice.model";
import { ChosenBar } from "./ChosenBar";
import { DagName, LastRun, TriggerButton } from "./DagParts";
import styles from "./DagTable.module.css";
import { FavoriteStar } from "./FavoriteStar";
import { dagsParameters, type DagsSearch, nextSort, partsOf, type SortField } from "./list.model";
import { NoDags } from "./NoDags";
import { PauseToggle } from "./PauseToggle";
import { RunBars } from "./RunBars";
import { useDagRows } from "./useDagRows";

const rowHeight = 52;
const hour = 3_600_000;

interface Props {
  search: DagsSearch;
  onChange: (next: DagsSearch) => void;
}

/** All DAGs that fit, however many: only those in sight are loaded and drawn. */
export function DagTable({ search, onChange }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  // How many there were before, while nothing is known: the list does not jump when something else is searched.
  const [count, setCount] = useState(0);
  const [choice, setChoice] = useState<Choice>(new Map());
  const now = useNow(hour);
  const parameters = useMemo(() => dagsParameters(search, now), [search, now]);
  const chooseAll = useChooseAll(parameters, count, (dags) => {
    setChoice(changed(choice, dags, true));
  });
  const { data: favorites } = useQuery(favoritesQuery);
  const rows = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowHeight,
    overscan: 8,
  });
  const shown = rows.getVirtualItems();
  const asked = JSON.stringify(parameters);
  useEffect(() => {
    // Another list begins at its beginning.
    scroller.current?.scrollTo({ top: 0 });
  }, [asked]);
  const { total, dagAt, runsOf, error } = useDagRows(parameters, shown[0]?.index ?? 0, shown.at(-1)?.index ?? 0);
  if (total !== undefined && total !== count) setCount(total);
  if (error) return <Failed title="The DAGs could not be loaded" error={error} />;
  if (total === 0) return <NoDags search={search} onChange={onChange} />;
  return (
    <div className={styles.scroller} ref={scroller} aria-busy={total === undefined}>
      {choice.size > 0 ? (
        <ChosenBar
          choice={choice}
          onNone={() => {
            setChoice(new Map());
          }}
        />
      ) : (
        <Head
          sort={search.sort}
          onAll={chooseAll}
          onSort={(sort) => {
            onChange({ sort });
          }}
        />
      )}
      <ul className={styles.rows} style={{ height: rows.getTotalSize() }} aria-label="DAGs">
        {shown.map(({ index, start }) => {
          const dag = dagAt(index);
          return (
            <li key={dag?.dag_id ?? index} style={{ transform: `translateY(${start}px)` }}>
              {dag && (
                <Row
                  dag={dag}
                  runs={runsOf(dag.dag_id)}
                  isFavorite={favorites?.has(dag.dag_id) ?? false}
                  tags={search.tags ?? []}
                  isChosen={choice.has(dag.dag_id)}
                  onChoose={(isChosen) => {
                    setChoice(changed(choice, [chosenOf(dag)], isChosen));
                  }}
                  onChange={onChange}
                />
              )}
            </li>
          );
        })}
      </ul>
    </div>
  );
}

function chosenOf({ dag_id: dagId, dag_display_name: title, is_paused: isPaused }: Schemas["DAGResponse"]): ChosenDag {
  return { dagId, title, isPaused };
}

/** Chooses all that fit and that may be changed, however few of them are in sight. */
function useChooseAll(parameters: DagsParameters, count: number, onFound: (dags: ChosenDag[]) => void) {
  const client = useQueryClient();
  const may = useMay();
  return async () => {
    const parts = partsOf(0, Math.max(0, count - 1), dagsAtOnce);
    const found = await Promise.all(parts.map((part) => client.query(dagsQuery(parameters, part))));
    const dags = found.flatMap((part) => part.dags).filter(({ dag_id: dagId }) => may("edit", "DAG", dagId).isAllowed);
    onFound(dags.map(chosenOf));
  };
}

const columns: [title: string, field?: SortField][] = [
  [""],
  ["Active"],
  ["DAG", "dag_display_name"],
  ["Schedule"],
  ["Next run", "next_dagrun_run_after"],
  ["Last run", "last_run_start_date"],
  ["Latest runs", "last_run_state"],
  [""],
];

interface HeadProps {
  sort: DagsSearch["sort"];
  onSort: (sort: DagsSearch["sort"]) => void;
  onAll: () => Promise<void>;
}

function Head({ sort, onSort, onAll }: HeadProps) {
  return (
    <div className={styles.head}>
      <input
        type="checkbox"
        checked={false}
        aria-label="Choose all DAGs that fit"
        title="Choose all DAGs that fit"
        onChange={() => {
          void onAll();
        }}
      />
      {columns.map(([title, field], position) =>
        field === undefined ? (
          <span key={position}>{title}</span>
        ) : (
          <button
            key={position}
            type="button"
            title={field === "last_run_state" ? "Sort by the state of the last run" : `Sort by ${title.toLowerCase()}`}
            aria-pressed={sort?.endsWith(field) ?? false}
            onClick={() => {
              onSort(nextSort(field, sort));
            }}
          >
            {title} {sort === field ? "↑" : sort === `-${field}` ? "↓" : ""}
          </button>
        ),
      )}
    </div>
  );
}

interface RowProps {
  dag: Schemas["DAGResponse"];
  runs: Schemas["RunAtAGlanceResponse"][];
  isFavorite: boolean;
  /** Those that are chosen. */
  tags: string[];
  isChosen: boolean;
  onChoose: (isChosen: boolean) => void;
  onChange: (next: DagsSearch) => void;
}

function Row({ dag, runs, isFavorite, tags, isChosen, onChoose, onChange }: RowProps) {
  const { isAllowed, reason } = useMay()("edit", "DAG", dag.dag_id);
  return (
    <>
      <input
        type="checkbox"
        checked={isChosen}
        disabled={!isAllowed}
        aria-label={`Choose ${dag.dag_id}`}
        title={reason}
        onChange={({ target }) => {
          onChoose(target.checked);
        }}
      />
      <FavoriteStar dagId={dag.dag_id} isFavorite={isFavorite} />
      <PauseToggle dagId={dag.dag_id} isPaused={dag.is_paused} />
      <DagName dag={dag} tags={tags} onChange={onChange} />
      <span className={styles.text} title={dag.timetable_description ?? undefined}>
        {dag.timetable_summary ?? "by hand"}
      </span>
      <span>{dag.is_paused ? "paused" : <Moment at={dag.next_dagrun_run_after} />}</span>
      <LastRun dagId={dag.dag_id} run={runs.at(-1)} />
      <RunBars dagId={dag.dag_id} runs={runs} />
      <TriggerButton dagId={dag.dag_id} onChange={onChange} />
    </>
  );
}
