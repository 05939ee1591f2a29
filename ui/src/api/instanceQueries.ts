/** What is asked about one run or one task instance. Keys begin as `invalidate.ts` knows them. */
import { queryOptions } from "@tanstack/react-query";

import { api, data, Refused, type Schemas } from "./client";
import type { TaskPlace } from "./queries";

const ofRun = (dagId: string, runId: string) => ({ dag_id: dagId, dag_run_id: runId });
const ofTask = ({ dagId, runId, taskId }: TaskPlace) => ({ ...ofRun(dagId, runId), task_id: taskId });
const taskKey = ({ dagId, runId, taskId, mapIndex }: TaskPlace, ...more: unknown[]) =>
  ["task", dagId, runId, taskId, mapIndex, ...more] as const;

export const runQuery = (dagId: string, runId: string) =>
  queryOptions({
    queryKey: ["run", dagId, runId],
    queryFn: () =>
      data(api.GET("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}", { params: { path: ofRun(dagId, runId) } })),
  });

export const upstreamEventsQuery = (dagId: string, runId: string) =>
  queryOptions({
    queryKey: ["run", dagId, runId, "events"],
    queryFn: () =>
      data(
        api.GET("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/upstreamAssetEvents", {
          params: { path: ofRun(dagId, runId) },
        }),
      ),
  });

export const attemptsQuery = (place: TaskPlace) =>
  queryOptions({
    queryKey: taskKey(place, "attempts"),
    queryFn: () =>
      data(
        api.GET("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/attempts", {
          params: { path: ofTask(place), query: { map_index: place.mapIndex } },
        }),
      ),
  });

export const linksQuery = (place: TaskPlace) =>
  queryOptions({
    queryKey: taskKey(place, "links"),
    queryFn: () =>
      data(
        api.GET("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/links", {
          params: { path: ofTask(place), query: { map_index: place.mapIndex } },
        }),
      ),
  });

export const xcomsQuery = (place: TaskPlace) =>
  queryOptions({
    queryKey: taskKey(place, "xcoms"),
    queryFn: () =>
      data(
        api.GET("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/xcomEntries", {
          params: { path: ofTask(place), query: { map_index: place.mapIndex, limit: 100 } },
        }),
      ),
  });

export const xcomQuery = (place: TaskPlace, key: string) =>
  queryOptions({
    queryKey: taskKey(place, "xcoms", key),
    queryFn: () =>
      data(
        api.GET("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/xcomEntries/{xcom_key}", {
          params: { path: { ...ofTask(place), xcom_key: key }, query: { map_index: place.mapIndex } },
        }),
      ),
  });

export const producedQuery = (place: TaskPlace) =>
  queryOptions({
    queryKey: taskKey(place, "events"),
    queryFn: () =>
      data(
        api.GET("/api/v2/assets/events", {
          params: {
            query: {
              source_dag_id: place.dagId,
              source_run_id: place.runId,
              source_task_id: place.taskId,
              source_map_index: place.mapIndex,
              order_by: ["-timestamp"],
            },
          },
        }),
      ),
  });

/** What a task asks people, or has asked; null: nothing. Asked for as a list: to find nothing is no error there. */
export const inquiryQuery = (place: TaskPlace) =>
  queryOptions({
    queryKey: taskKey(place, "inquiry"),
    queryFn: async (): Promise<Schemas["HITLDetail"] | null> => {
      const found = await data(
        api.GET("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/hitlDetails", {
          params: {
            path: ofRun(place.dagId, place.runId),
            query: { task_id: place.taskId, map_index: place.mapIndex, limit: 1 },
          },
        }),
      );
      return found.hitl_details[0] ?? null;
    },
  });

export const dagDetailsQuery = (dagId: string) =>
  queryOptions({
    queryKey: ["dag", dagId, "details"],
    queryFn: () => data(api.GET("/api/v2/dags/{dag_id}/details", { params: { path: { dag_id: dagId } } })),
  });

/** A task instance; "copies": the task has some, and none of them is chosen. */
export const instanceQuery = (place: TaskPlace) =>
  queryOptions({
    queryKey: taskKey(place, "instance"),
    queryFn: async (): Promise<Schemas["TaskInstanceResponse"] | "copies"> => {
      const found = await data(
        api.GET("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances", {
          params: {
            path: ofRun(place.dagId, place.runId),
            query: {
              task_id: place.taskId,
              limit: 1,
              order_by: ["map_index"],
              ...(place.mapIndex >= 0 && { map_index: [place.mapIndex] }),
            },
          },
        }),
      );
      const [task] = found.task_instances;
      if (task === undefined) throw new Refused(404, `The run has no such instance of task ${place.taskId}.`);
      return task.map_index === place.mapIndex ? task : "copies";
    },
  });
