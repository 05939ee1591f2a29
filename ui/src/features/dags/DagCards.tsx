import { useQuery } from "@tanstack/react-query";
import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from "react";

import { favoritesQuery } from "~/api/around";
import type { Schemas } from "~/api/client";
import { Failed } from "~/components/Failed";
import { Moment } from "~/components/Moment";
import { useNow } from "~/lib/now";

import styles from "./DagCards.module.css";
import { DagName, LastRun, TriggerButton } from "./DagParts";
import { FavoriteStar } from "./FavoriteStar";
import { cardsAcross, dagsParameters, type DagsSearch } from "./list.model";
import { NoDags } from "./NoDags";
import { PauseToggle } from "./PauseToggle";
import { RunBars } from "./RunBars";
import { useDagRows } from "./useDagRows";

/** In pixels, as in the styles. */
const cardHeight = 164;
const leastWidth = 300;
const gap = 12;
const hour = 3_600_000;

interface Props {
  search: DagsSearch;
  onChange: (next: DagsSearch) => void;
}

/** As the table, a card for each. Only those in sight are loaded and drawn. */
export function DagCards({ search, onChange }: Props) {
  const scroller = useRef<HTMLDivElement>(null);
  const across = useAcross(scroller);
  const [count, setCount] = useState(0);
  const now = useNow(hour);
  const parameters = useMemo(() => dagsParameters(search, now), [search, now]);
  const { data: favorites } = useQuery(favoritesQuery);
  const lines = useVirtualizer({
    count: Math.ceil(count / across),
    getScrollElement: () => scroller.current,
    estimateSize: () => cardHeight + gap,
    overscan: 3,
  });
  const shown = lines.getVirtualItems();
  const asked = JSON.stringify(parameters);
  useEffect(() => {
    scroller.current?.scrollTo({ top: 0 });
  }, [asked]);
  const first = (shown[0]?.index ?? 0) * across;
  const last = ((shown.at(-1)?.index ?? 0) + 1) * across - 1;
  const { total, dagAt, runsOf, error } = useDagRows(parameters, first, Math.min(last, Math.max(0, count - 1)));
  if (total !== undefined && total !== count) setCount(total);
  if (error) return <Failed title="The DAGs could not be loaded" error={error} />;
  if (total === 0) return <NoDags search={search} onChange={onChange} />;
  return (
    <div className={styles.scroller} ref={scroller} tabIndex={0} aria-busy={total === undefined}>
      <ul className={styles.cards} style={{ height: lines.getTotalSize() }} aria-label="DAGs">
        {shown.flatMap(({ index: line, start }) =>
          Array.from({ length: across }, (_, column) => {
            const dag = dagAt(line * across + column);
            return (
              dag && (
                <li
                  key={dag.dag_id}
                  style={{ transform: `translate(${column * 100}%, ${start}px)`, width: `${100 / across}%` }}
                >
                  <DagCard
                    dag={dag}
                    runs={runsOf(dag.dag_id)}
                    isFavorite={favorites?.has(dag.dag_id) ?? false}
                    tags={search.tags ?? []}
                    onChange={onChange}
                  />
                </li>
              )
            );
          }),
        )}
      </ul>
    </div>
  );
}

/** How many cards are beside each other. */
function useAcross(scroller: React.RefObject<HTMLDivElement | null>): number {
  const [across, setAcross] = useState(3);
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const measure = () => {
      setAcross(cardsAcross(element.clientWidth, leastWidth, gap));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => {
      observer.disconnect();
    };
  }, [scroller]);
  return across;
}

interface CardProps {
  dag: Schemas["DAGResponse"];
  runs: Schemas["RunAtAGlanceResponse"][];
  isFavorite: boolean;
  tags: string[];
  onChange: (next: DagsSearch) => void;
}

function DagCard({ dag, runs, isFavorite, tags, onChange }: CardProps) {
  return (
    <article className={styles.card} aria-label={dag.dag_display_name}>
      <header>
        <FavoriteStar dagId={dag.dag_id} isFavorite={isFavorite} />
        <DagName dag={dag} tags={tags} onChange={onChange} />
        <PauseToggle dagId={dag.dag_id} isPaused={dag.is_paused} />
        <TriggerButton dagId={dag.dag_id} onChange={onChange} />
      </header>
      <dl>
        <div>
          <dt>Schedule</dt>
          <dd title={dag.timetable_description ?? undefined}>{dag.timetable_summary ?? "by hand"}</dd>
        </div>
        <div>
          <dt>Next run</dt>
          <dd>{dag.is_paused ? "paused" : <Moment at={dag.next_dagrun_run_after} />}</dd>
        </div>
        <div>
          <dt>Last run</dt>
          <dd>{runs.length === 0 ? "none" : <LastRun dagId={dag.dag_id} run={runs.at(-1)} />}</dd>
        </div>
      </dl>
      <RunBars dagId={dag.dag_id} runs={runs} />
    </article>
  );
}
