import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";

import type { Schemas } from "~/api/client";
import { recentRunsQuery, runTasksQuery, versionsQuery } from "~/api/dagQueries";
import { graphQuery } from "~/api/queries";
import Graph from "~/features/graph/Graph";
import { groupStates } from "~/features/grid/grid.model";
import { changeSettings, useSettings } from "~/lib/settings";
import { worst } from "~/lib/states";
import { between, instant } from "~/lib/time";

import { RunChoice } from "./RunChoice";
import type { DagSearch } from "./search.model";
import { Split, useSelection } from "./Split";

type Summary = Schemas["TaskSummaryResponse"];

/** With the states of the chosen run, or of the newest. */
export function GraphView() {
  const { dagId, run, task, select } = useSelection();
  const search = useSearch({ from: "/dags/$dagId" });
  const { direction: usual } = useSettings();
  const navigate = useNavigate();
  const { data: runs } = useQuery(recentRunsQuery(dagId));
  const shown = run ?? runs?.at(-1)?.run_id;
  const { states, copies, took } = useStates(dagId, shown, search.version);
  const change = (next: DagSearch) => {
    void navigate({ to: ".", search: (before) => ({ ...before, ...next }), replace: true });
  };
  return (
    <Split isWide>
      <Graph
        dagId={dagId}
        version={search.version}
        states={states}
        copies={copies}
        took={took}
        selected={task}
        filter={{
          q: search.q,
          state: search.task_state,
          operator: search.operator,
          group: search.group,
          took: search.took,
          copy: search.copy,
          around: search.around,
          depth: search.depth,
        }}
        direction={search.direction ?? usual}
        hasOutside={search.outside ?? false}
        onSelect={(chosen) => {
          select({ run: shown, task: chosen });
        }}
        onFilter={(next) => {
          const { state, ...rest } = next;
          change({ ...rest, ...("state" in next && { task_state: state }) });
        }}
        onDirection={(direction) => {
          changeSettings({ direction });
          change({ direction });
        }}
        onOutside={(hasOutside) => {
          change({ outside: hasOutside || undefined });
        }}
        onLeave={(kind, target) => {
          if (kind === "dag") void navigate({ to: "/dags/$dagId/graph", params: { dagId: target } });
          else void navigate({ to: "/assets/$assetId", params: { assetId: target } });
        }}
        more={
          <VersionChoice
            dagId={dagId}
            version={search.version}
            onChoose={(version) => {
              change({ version });
            }}
          />
        }
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

/** Of the tasks and groups in a run, by their names. */
function useStates(dagId: string, run: string | undefined, version: number | undefined) {
  const { data: graph } = useQuery(graphQuery(dagId, version));
  const { data: summaries, dataUpdatedAt: now } = useQuery(runTasksQuery(dagId, run === undefined ? [] : [run]));
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
  const took = useMemo(
    () => new Map(tasks?.map((each) => [each.task_id, secondsOf(each, now)] as const).filter(isKnown)),
    [tasks, now],
  );
  return { states, copies, took };
}

/** From the first start to the last end; until now as long as one of its copies runs. */
function secondsOf({ states, start_date: start, end_date: end }: Summary, now: number): number | undefined {
  return between(start, "running" in states ? null : end, now);
}

function isKnown(entry: readonly [string, number | undefined]): entry is readonly [string, number] {
  return entry[1] !== undefined;
}

interface VersionProps {
  dagId: string;
  version: number | undefined;
  onChoose: (version: number | undefined) => void;
}

/** The newest, or one that the DAG had before. */
function VersionChoice({ dagId, version, onChoose }: VersionProps) {
  const { data } = useQuery(versionsQuery(dagId));
  const { zone } = useSettings();
  const versions = data?.dag_versions ?? [];
  const isKnown = version === undefined || versions.some((each) => each.version_number === version);
  return (
    <label>
      Version
      <select
        value={version ?? ""}
        onChange={({ target }) => {
          onChoose(target.value === "" ? undefined : Number(target.value));
        }}
      >
        <option value="">the current one</option>
        {!isKnown && <option>{version}</option>}
        {versions.map(({ version_number: number, created_at: at }) => (
          <option key={number} value={number}>
            {number}, {instant(at, zone)}
          </option>
        ))}
      </select>
    </label>
  );
}
