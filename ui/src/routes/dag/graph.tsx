import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";

import { recentRunsQuery, runTasksQuery } from "~/api/dagQueries";
import { graphQuery } from "~/api/queries";
import { groupStates } from "~/features/grid/grid.model";
import Graph from "~/features/graph/Graph";
import { worst } from "~/lib/states";

import { RunChoice } from "./RunChoice";
import { Split, useSelection } from "./Split";

/** With the states of the chosen run, or of the newest. */
export function GraphView() {
  const { dagId, run, task, select } = useSelection();
  const { around } = useSearch({ from: "/dags/$dagId" });
  const navigate = useNavigate();
  const { data: graph } = useQuery(graphQuery(dagId));
  const { data: runs } = useQuery(recentRunsQuery(dagId));
  const shown = run ?? runs?.at(-1)?.run_id;
  const { data: summaries } = useQuery(runTasksQuery(dagId, shown === undefined ? [] : [shown]));
  const tasks = summaries?.runs[0]?.tasks;
  const states = useMemo(() => {
    const own = new Map(tasks?.map((each) => [each.task_id, worst(Object.keys(each.states))] as const));
    return groupStates(graph?.rows ?? [], own);
  }, [tasks, graph?.rows]);
  const copies = useMemo(
    () =>
      new Map(
        tasks?.map((each) => [each.task_id, Object.values(each.states).reduce((sum, number) => sum + number, 0)]),
      ),
    [tasks],
  );
  return (
    <Split isWide>
      <Graph
        dagId={dagId}
        states={states}
        copies={copies}
        selected={task}
        around={around}
        onSelect={(chosen) => {
          select({ run: shown, task: chosen });
        }}
        onAround={(next) => {
          void navigate({ to: ".", search: (before) => ({ ...before, around: next }) });
        }}
      >
        <RunChoice
          runs={runs ?? []}
          run={shown}
          onChoose={(next) => {
            select({ run: next, task });
          }}
        />
      </Graph>
    </Split>
  );
}
