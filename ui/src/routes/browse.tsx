/** Runs and task instances of all DAGs. The address holds what is looked for. */
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";

import { api, data, type Schemas } from "~/api/client";
import { Button } from "~/components/Button";
import { Moment } from "~/components/Moment";
import { Page } from "~/components/Page";
import { PagedTable } from "~/components/PagedTable";
import styles from "~/components/Rows.module.css";
import { State } from "~/components/State";
import {
  type BrowseSearch,
  type ChosenRun,
  onlyDag,
  runsParameters,
  tasksParameters,
} from "~/features/browse/browse.model";
import { Filters } from "~/features/browse/Filters";
import { tasksByRun } from "~/features/clear/clear.model";
import { RunActions } from "~/features/runs/RunActions";
import { betweenDays, counted, runStates, runTypes } from "~/features/runs/runs.model";
import { useNow } from "~/lib/now";
import { useSettings } from "~/lib/settings";
import { stateName, taskStates } from "~/lib/states";
import { between, duration } from "~/lib/time";

import { Deeds } from "./instance/Deeds";

type Run = Schemas["DAGRunResponse"];
type Task = Schemas["TaskInstanceResponse"];

export const nothingFits = <p>Nothing fits what you look for.</p>;

/** Changes what is looked for, and with it the address. */
export function useChange() {
  const navigate = useNavigate();
  return (next: BrowseSearch) => {
    void navigate({ to: ".", search: ((before: object) => ({ ...before, ...next })) as never, replace: true });
  };
}

export function DagRunsPage() {
  const search = useSearch({ from: "/dag_runs" });
  const { zone } = useSettings();
  const change = useChange();
  const [chosen, setChosen] = useState<ReadonlyMap<string, ChosenRun>>(new Map());
  const parameters = runsParameters(search, betweenDays(search, zone));
  const toggle = ({ dag_id: dagId, dag_run_id: runId }: Run) => {
    const next = new Map(chosen);
    if (!next.delete(`${dagId} ${runId}`)) next.set(`${dagId} ${runId}`, { dagId, runId });
    setChosen(next);
  };
  return (
    <Page title="Runs">
      <Filters
        label="Runs"
        search={search}
        texts={[
          ["dag", "DAG"],
          ["run", "Run id"],
          ["user", "Triggered by"],
        ]}
        choices={[
          { name: "state", title: "State", values: runStates.map((state) => [state, stateName(state)]) },
          { name: "type", title: "Type", values: runTypes.map((type) => [type, type.replaceAll("_", " ")]) },
        ]}
        onChange={change}
      />
      <Chosen
        runs={[...chosen.values()]}
        onDone={() => {
          setChosen(new Map());
        }}
      />
      <PagedTable<Run>
        key={JSON.stringify(parameters)}
        label="Runs"
        queryKey={["all-runs", parameters]}
        load={async (offset, limit) => {
          const query = { offset, limit, order_by: ["-run_after"], ...parameters };
          const params = { path: { dag_id: "~" }, query };
          const found = await data(api.GET("/api/v2/dags/{dag_id}/dagRuns", { params }));
          return { rows: found.dag_runs, total: found.total_entries ?? 0 };
        }}
        rowKey={(run) => `${run.dag_id} ${run.dag_run_id}`}
        empty={
          Object.keys(parameters).length > 0 ? (
            nothingFits
          ) : (
            <p>
              Trigger one from the <Link to="/dags">list of DAGs</Link>, or unpause a DAG that has a schedule.
            </p>
          )
        }
        columns={[
          {
            title: "Choose",
            cell: (run) => (
              <input
                type="checkbox"
                aria-label={`Choose ${run.dag_run_id} of ${run.dag_id}`}
                checked={chosen.has(`${run.dag_id} ${run.dag_run_id}`)}
                onChange={() => {
                  toggle(run);
                }}
              />
            ),
          },
          { title: "State", cell: (run) => <State state={run.state} /> },
          {
            title: "DAG",
            cell: ({ dag_id: dagId, dag_display_name: name }) => (
              <Link to="/dags/$dagId" params={{ dagId }}>
                {name}
              </Link>
            ),
          },
          { title: "Run", cell: (run) => <RunName run={run} /> },
          { title: "Started", cell: (run) => <Moment at={run.start_date} exact /> },
          { title: "Took", cell: (run) => <Took item={run} /> },
        ]}
      />
    </Page>
  );
}

function Chosen({ runs, onDone }: { runs: ChosenRun[]; onDone: () => void }) {
  const dagId = onlyDag(runs);
  if (runs.length === 0) return <p className={styles.chosen}>Choose runs of one DAG to do something to them.</p>;
  return (
    <div className={styles.chosen}>
      <span>
        {counted(runs.length, "run")} chosen
        {dagId === undefined && ", of several DAGs: choose runs of one to do something to them"}
      </span>
      {dagId !== undefined && <RunActions dagId={dagId} chosen={runs.map(({ runId }) => runId)} onDone={onDone} />}
    </div>
  );
}

function RunName({ run }: { run: Run }) {
  return (
    <span className={styles.name}>
      <Link to="/dags/$dagId/runs/$runId" params={{ dagId: run.dag_id, runId: run.dag_run_id }}>
        {run.dag_run_id}
      </Link>
      <small>
        {run.run_type.replaceAll("_", " ")}
        {run.triggering_user_name && ` by ${run.triggering_user_name}`}
      </small>
      {run.note && <small title={run.note}>“{run.note}”</small>}
    </span>
  );
}

function Took({ item }: { item: { start_date: string | null; end_date: string | null } }) {
  const seconds = between(item.start_date, item.end_date, useNow());
  return seconds === undefined ? null : <span className={styles.whole}>{duration(seconds)}</span>;
}

interface ChosenTask extends ChosenRun {
  taskId: string;
  mapIndex: number;
}

export function TaskInstancesPage() {
  const search = useSearch({ from: "/task_instances" });
  const { zone } = useSettings();
  const [chosen, setChosen] = useState<ReadonlyMap<string, ChosenTask>>(new Map());
  const toggle = ({ id, dag_id: dagId, dag_run_id: runId, task_id: taskId, map_index: mapIndex }: Task) => {
    const next = new Map(chosen);
    if (!next.delete(id)) next.set(id, { dagId, runId, taskId, mapIndex });
    setChosen(next);
  };
  const parameters = tasksParameters(search, betweenDays(search, zone));
  return (
    <Page title="Task instances">
      <Filters
        label="Task instances"
        search={search}
        texts={[
          ["dag", "DAG"],
          ["run", "Run id"],
          ["task", "Task"],
          ["operator", "Operator"],
          ["pool", "Pool"],
        ]}
        choices={[{ name: "state", title: "State", values: taskStates.map((state) => [state, stateName(state)]) }]}
        onChange={useChange()}
      />
      <ChosenTasks
        tasks={[...chosen.values()]}
        onNone={() => {
          setChosen(new Map());
        }}
      />
      <div className={styles.below}>
        <PagedTable<Task>
          key={JSON.stringify(parameters)}
          label="Task instances"
          queryKey={["all-tasks", parameters]}
          load={async (offset, limit) => {
            const query = { offset, limit, order_by: ["-run_after"], ...parameters };
            const params = { path: { dag_id: "~", dag_run_id: "~" }, query };
            const found = await data(api.GET("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances", { params }));
            return { rows: found.task_instances, total: found.total_entries ?? 0 };
          }}
          rowKey={(task) => task.id}
          empty={Object.keys(parameters).length > 0 ? nothingFits : <p>They come with the first run of a DAG.</p>}
          columns={[
            {
              title: "Choose",
              cell: (task) => (
                <input
                  type="checkbox"
                  aria-label={`Choose ${taskName(task)} in ${task.dag_run_id} of ${task.dag_id}`}
                  checked={chosen.has(task.id)}
                  onChange={() => {
                    toggle(task);
                  }}
                />
              ),
            },
            { title: "State", cell: (task) => <State state={task.state} /> },
            { title: "Task", cell: (task) => <TaskName task={task} /> },
            {
              title: "DAG",
              cell: ({ dag_id: dagId, dag_display_name: name }) => (
                <Link to="/dags/$dagId" params={{ dagId }}>
                  {name}
                </Link>
              ),
            },
            {
              title: "Run",
              cell: ({ dag_id: dagId, dag_run_id: runId }) => (
                <Link className={styles.name} to="/dags/$dagId/runs/$runId" params={{ dagId, runId }}>
                  {runId}
                </Link>
              ),
            },
            { title: "Try", cell: (task) => task.try_number },
            { title: "Started", cell: (task) => <Moment at={task.start_date} exact /> },
            { title: "Took", cell: (task) => <Took item={task} /> },
          ]}
        />
      </div>
    </Page>
  );
}

function ChosenTasks({ tasks, onNone }: { tasks: ChosenTask[]; onNone: () => void }) {
  const dagId = onlyDag(tasks);
  if (tasks.length === 0) return <p className={styles.chosen}>Choose tasks of one DAG to do something to them.</p>;
  return (
    <div className={styles.chosen}>
      <span>
        {counted(tasks.length, "task")} chosen
        {dagId === undefined && ", of several DAGs: choose tasks of one to do something to them"}
      </span>
      {dagId !== undefined && <Deeds target={tasksByRun(dagId, tasks)} />}
      <Button onClick={onNone}>None</Button>
    </div>
  );
}

function taskName({ task_display_name: name, map_index: index, rendered_map_index: rendered }: Task): string {
  return index >= 0 ? `${name} [${rendered ?? index}]` : name;
}

function TaskName({ task }: { task: Task }) {
  const { dag_id: dagId, dag_run_id: runId, task_id: taskId, map_index: index } = task;
  return (
    <span className={styles.name}>
      <Link
        to="/dags/$dagId/runs/$runId/tasks/$taskId"
        params={{ dagId, runId, taskId }}
        search={index >= 0 ? { map_index: index } : {}}
      >
        {taskName(task)}
      </Link>
      <small>{[task.operator_name, task.pool].filter(Boolean).join(", ")}</small>
    </span>
  );
}
