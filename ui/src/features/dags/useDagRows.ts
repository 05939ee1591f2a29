import { useQueries } from "@tanstack/react-query";

import type { Schemas } from "~/api/client";
import { dagsAtOnce, type DagsParameters, dagsQuery, latestRunsQuery } from "~/api/queries";

import { partsOf } from "./list.model";

type Dag = Schemas["DAGResponse"];

/** Bars of so many DAGs are asked for together; the same ones while one scrolls. */
const barsAtOnce = 25;

interface DagRows {
  /** Undefined until the server has answered. */
  total: number | undefined;
  dagAt: (index: number) => Dag | undefined;
  runsOf: (dagId: string) => Schemas["RunAtAGlanceResponse"][];
  error: Error | null;
}

/** Of a list of thousands, the parts that these rows are in. */
export function useDagRows(parameters: DagsParameters, first: number, last: number): DagRows {
  const parts = partsOf(first, last, dagsAtOnce);
  const found = useQueries({ queries: parts.map((part) => dagsQuery(parameters, part)) });
  const total = found.find(({ data }) => data !== undefined)?.data?.total_entries;
  const byPart = new Map(parts.map((part, position) => [part, found[position]?.data?.dags]));
  const dagAt = (index: number) => byPart.get(Math.floor(index / dagsAtOnce))?.[index % dagsAtOnce];

  const groups = partsOf(first, last, barsAtOnce)
    .map((group) => {
      const dags = Array.from({ length: barsAtOnce }, (_, position) => dagAt(group * barsAtOnce + position));
      return dags.filter((dag) => dag !== undefined).map((dag) => dag.dag_id);
    })
    .filter((ids) => ids.length > 0);
  const bars = useQueries({ queries: groups.map((ids) => latestRunsQuery(ids)) });
  const runsOf = (dagId: string) => bars.map(({ data }) => data?.dags[dagId]).find((runs) => runs !== undefined) ?? [];

  return { total, dagAt, runsOf, error: found.find(({ error }) => error)?.error ?? null };
}
