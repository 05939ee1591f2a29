/** Asks the server to clear or mark, or what that would change. */
import { requireAll } from "~/api/bulk";
import { api, data, type Schemas } from "~/api/client";

import {
  type Affected,
  affected,
  type ClearOptions,
  clearRunsBody,
  clearTasksBody,
  type Group,
  type Mark,
  markBody,
  type Reach,
  type Runs,
  statesMarked,
  type Target,
  type Tasks,
} from "./clear.model";

/** Enough to see what is meant; the whole number is told. */
const listed = 100;

export interface Preview {
  tasks: Affected[];
  total: number;
}

export async function clear(target: Target, options: ClearOptions, isDryRun: boolean, note: string): Promise<Preview> {
  if (target.kind === "several") {
    return joined(await Promise.all(target.parts.map((part) => clear(part, options, isDryRun, note))));
  }
  const params = { path: { dag_id: target.dagId } };
  if (target.kind !== "runs") {
    const body = clearTasksBody(target, options, isDryRun, note);
    return previewOf(await data(api.POST("/api/v2/dags/{dag_id}/clearTaskInstances", { params, body })));
  }
  const body = clearRunsBody(target, options, isDryRun, note);
  const found = await data(api.POST("/api/v2/dags/{dag_id}/clearDagRuns", { params, body }));
  return "task_instances" in found ? previewOf(found) : { tasks: [], total: 0 };
}

interface Found {
  task_instances: (Schemas["TaskInstanceResponse"] | Schemas["NewTaskResponse"])[];
  total_entries?: number | null;
}

function previewOf({ task_instances: tasks, total_entries: total }: Found): Preview {
  return { tasks: affected(tasks.slice(0, listed)), total: total ?? tasks.length };
}

export async function previewMark(target: Target, state: Mark, reach: Reach): Promise<Preview> {
  switch (target.kind) {
    case "several":
      return joined(await Promise.all(target.parts.map((part) => previewTasks(part, state, reach))));
    case "tasks":
      return previewTasks(target, state, reach);
    case "group":
      return previewGroup(target, state, reach);
    case "runs":
      return previewRuns(target, state);
  }
}

async function previewGroup(target: Group, state: Mark, reach: Reach): Promise<Preview> {
  return previewOf(
    await data(
      api.PATCH("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/taskGroupInstances/{group_id}/dry_run", {
        params: { path: placeOf(target) },
        body: markBody(state, reach, ""),
      }),
    ),
  );
}

function placeOf({ dagId, runId, groupId }: Group) {
  return { dag_id: dagId, dag_run_id: runId, group_id: groupId };
}

async function previewTasks(target: Tasks, state: Mark, reach: Reach): Promise<Preview> {
  const previews = await Promise.all(
    target.tasks.map(async ({ taskId, mapIndex }) =>
      previewOf(
        await data(
          api.PATCH("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/dry_run", {
            params: {
              path: { dag_id: target.dagId, dag_run_id: target.runId, task_id: taskId },
              ...(mapIndex !== undefined && { query: { map_index: mapIndex } }),
            },
            body: markBody(state, reach, ""),
          }),
        ),
      ),
    ),
  );
  return joined(previews);
}

async function previewRuns(target: Runs, state: Mark): Promise<Preview> {
  const previews = await Promise.all(
    target.runIds.slice(0, 10).map(async (runId) =>
      previewOf(
        await data(
          api.GET("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances", {
            params: {
              path: { dag_id: target.dagId, dag_run_id: runId },
              query: { state: statesMarked(state), limit: listed },
            },
          }),
        ),
      ),
    ),
  );
  return joined(previews);
}

/** What is reached from two tasks is changed once. */
function joined(previews: Preview[]): Preview {
  const tasks = new Map(previews.flatMap((each) => each.tasks.map((task) => [task.key, task])));
  const isWhole = previews.every((each) => each.tasks.length === each.total);
  const total = isWhole ? tasks.size : previews.reduce((sum, each) => sum + each.total, 0);
  return { tasks: [...tasks.values()].slice(0, listed), total };
}

export async function mark(target: Target, state: Mark, reach: Reach, note: string): Promise<void> {
  if (target.kind === "several") {
    for (const part of target.parts) await mark(part, state, reach, note);
    return;
  }
  if (target.kind === "group") {
    await data(
      api.PATCH("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/taskGroupInstances/{group_id}", {
        params: { path: placeOf(target) },
        body: markBody(state, reach, note),
      }),
    );
    return;
  }
  const found =
    target.kind === "tasks"
      ? await data(
          api.PATCH("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances", {
            params: { path: { dag_id: target.dagId, dag_run_id: target.runId } },
            body: {
              actions: [
                { action: "update", action_on_non_existence: "fail", entities: entitiesOf(target, state, reach, note) },
              ],
            },
          }),
        )
      : await data(
          api.PATCH("/api/v2/dags/{dag_id}/dagRuns", {
            params: { path: { dag_id: target.dagId } },
            body: {
              actions: [
                {
                  action: "update",
                  action_on_non_existence: "fail",
                  entities: target.runIds.map((dag_run_id) => ({
                    dag_run_id,
                    state: state === "success" ? ("success" as const) : ("failed" as const),
                    ...(note.trim() !== "" && { note }),
                  })),
                },
              ],
            },
          }),
        );
  requireAll(found.update);
}

function entitiesOf({ tasks }: Tasks, state: Mark, reach: Reach, note: string) {
  return tasks.map(({ taskId, mapIndex }) => ({
    ...markBody(state, reach, note),
    task_id: taskId,
    ...(mapIndex !== undefined && { map_index: mapIndex }),
  }));
}
