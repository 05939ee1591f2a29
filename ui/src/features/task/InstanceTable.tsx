import { Link } from "@tanstack/react-router";
import { type ReactNode, useState } from "react";

import { api, data, type Schemas } from "~/api/client";
import { Button } from "~/components/Button";
import { Can } from "~/components/Can";
import { Moment } from "~/components/Moment";
import { PagedTable } from "~/components/PagedTable";
import { State } from "~/components/State";
import { useNow } from "~/lib/now";
import { stateName, taskStates } from "~/lib/states";
import { between, duration } from "~/lib/time";

import styles from "./Tab.module.css";

type Task = Schemas["TaskInstanceResponse"];
export interface Chosen {
  taskId: string;
  mapIndex: number;
}

interface Props {
  dagId: string;
  runId: string;
  /** Only the copies of this one. */
  taskId?: string;
  /** Only tasks of this group. */
  groupId?: string;
  /** What can be done with those that are chosen. */
  deeds: (chosen: Chosen[]) => ReactNode;
}

/** Task instances of a run or of a group in it, or the copies of a mapped task: filtered, and chosen to do something with them. */
export function InstanceTable({ dagId, runId, taskId, groupId, deeds }: Props) {
  const [state, setState] = useState("");
  const [searched, setSearched] = useState("");
  const [chosen, setChosen] = useState<ReadonlyMap<string, Chosen>>(new Map());
  const toggle = (task: Task, isChosen: boolean) => {
    const next = new Map(chosen);
    if (isChosen) next.set(keyOf(task), { taskId: task.task_id, mapIndex: task.map_index });
    else next.delete(keyOf(task));
    setChosen(next);
  };
  return (
    <>
      <div className={styles.bar}>
        <select
          aria-label="State"
          value={state}
          onChange={({ target }) => {
            setState(target.value);
          }}
        >
          <option value="">All states</option>
          {taskStates.map((each) => (
            <option key={each} value={each}>
              {stateName(each)}
            </option>
          ))}
        </select>
        <input
          type="search"
          value={searched}
          aria-label={taskId === undefined ? "Search tasks" : "Search copies"}
          placeholder={taskId === undefined ? "Search tasks" : "Search copies"}
          onChange={({ target }) => {
            setSearched(target.value);
          }}
        />
        <Can action="edit" resource="DAG" dagId={dagId}>
          {chosen.size > 0 && (
            <>
              <span>{chosen.size} chosen</span>
              {deeds([...chosen.values()])}
              <Button
                onClick={() => {
                  setChosen(new Map());
                }}
              >
                None
              </Button>
            </>
          )}
        </Can>
      </div>
      <PagedTable
        key={`${state} ${searched}`}
        label={taskId === undefined ? "Tasks" : "Copies"}
        queryKey={["task", dagId, runId, taskId ?? "~", "list", groupId, state, searched]}
        load={(offset, limit) => load({ dagId, runId, taskId, groupId, state, searched, offset, limit })}
        rowKey={keyOf}
        empty={
          <p>
            {state || searched
              ? "Nothing is so: choose another state or search."
              : "What it is mapped over is empty, or not known yet."}
          </p>
        }
        columns={[
          {
            title: "Chosen",
            cell: (task) => (
              <input
                type="checkbox"
                aria-label={`Choose ${nameOf(task)}`}
                checked={chosen.has(keyOf(task))}
                onChange={({ target }) => {
                  toggle(task, target.checked);
                }}
              />
            ),
          },
          {
            title: taskId === undefined ? "Task" : "Copy",
            cell: (task) => (
              <Link
                to="/dags/$dagId"
                params={{ dagId }}
                search={{ run: runId, task: task.task_id, ...(task.map_index >= 0 && { map: task.map_index }) }}
              >
                {taskId === undefined ? nameOf(task) : (task.rendered_map_index ?? `[${task.map_index}]`)}
              </Link>
            ),
          },
          { title: "State", cell: (task) => <State state={task.state} /> },
          { title: "Started", cell: (task) => <Moment at={task.start_date} /> },
          { title: "Duration", cell: (task) => <Duration task={task} /> },
          { title: "Tries", cell: (task) => task.try_number },
        ]}
      />
    </>
  );
}

function Duration({ task }: { task: Task }) {
  const now = useNow();
  const seconds = between(task.start_date, task.end_date, now);
  return seconds === undefined ? null : duration(seconds);
}

function keyOf({ task_id: task, map_index: index }: Task): string {
  return `${index} ${task}`;
}

function nameOf({ task_display_name: name, map_index: index, rendered_map_index: rendered }: Task): string {
  return index < 0 ? name : `${name} [${rendered ?? index}]`;
}

interface Asked {
  dagId: string;
  runId: string;
  taskId: string | undefined;
  groupId: string | undefined;
  state: string;
  searched: string;
  offset: number;
  limit: number;
}

async function load({ dagId, runId, taskId, groupId, state, searched, offset, limit }: Asked) {
  const path = { dag_id: dagId, dag_run_id: runId };
  const query = { offset, limit, ...(state && { state: [state] }) };
  const pattern = `%${searched}%`;
  const found =
    taskId === undefined
      ? await data(
          api.GET("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances", {
            params: {
              path,
              query: {
                ...query,
                order_by: ["start_date"],
                ...(groupId !== undefined && { task_group_id: groupId }),
                ...(searched && { task_display_name_pattern: pattern }),
              },
            },
          }),
        )
      : await data(
          api.GET("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/listMapped", {
            params: {
              path: { ...path, task_id: taskId },
              query: { ...query, ...(searched && { rendered_map_index_pattern: pattern }) },
            },
          }),
        );
  return { rows: found.task_instances, total: found.total_entries ?? found.task_instances.length };
}
