import { useQuery } from "@tanstack/react-query";

import type { Schemas } from "~/api/client";
import { taskDocQuery } from "~/api/dagQueries";
import { CodeLink } from "~/components/CodeLink";
import { Facts, when } from "~/components/Facts";
import { Markdown } from "~/components/Markdown";
import { useNow } from "~/lib/now";
import { between, duration } from "~/lib/time";

type Task = Schemas["TaskInstanceResponse"];

/** What is worth reading first. */
export function TaskFacts({ task }: { task: Task }) {
  const now = useNow();
  const seconds = between(task.start_date, task.end_date, now);
  return (
    <Facts
      facts={[
        ["Operator", task.operator_name],
        ["Started", when(task.start_date)],
        ["Duration", seconds === undefined ? undefined : duration(seconds)],
        ["Try", `${task.try_number} of ${task.max_tries + 1}`],
        ["Pool", `${task.pool} (${task.pool_slots})`],
        ["Host", task.hostname],
      ]}
    />
  );
}

/** All that is known. */
export function TaskDetails({ task }: { task: Task }) {
  return (
    <>
      <Documentation task={task} />
      <AllFacts task={task} />
    </>
  );
}

/** What the author wrote about the task, if anything: `doc_md`. */
function Documentation({ task }: { task: Task }) {
  const { data } = useQuery(taskDocQuery(task.dag_id, task.dag_run_id, task.task_id));
  if (!data?.doc_md) return null;
  return (
    <section aria-label="Documentation">
      <Markdown source={data.doc_md} />
    </section>
  );
}

function AllFacts({ task }: { task: Task }) {
  const { trigger, triggerer_job: triggerer, dag_version: version } = task;
  return (
    <Facts
      isTable
      facts={[
        ["Task", task.task_id],
        ["Run", task.dag_run_id],
        ["Map index", task.map_index < 0 ? undefined : task.map_index],
        ["Operator", task.operator],
        ["Logical date", when(task.logical_date)],
        ["Run after", when(task.run_after)],
        ["Scheduled", when(task.scheduled_when)],
        ["Queued", when(task.queued_when)],
        ["Started", when(task.start_date)],
        ["Ended", when(task.end_date)],
        ["Try", `${task.try_number} of ${task.max_tries + 1}`],
        ["Pool", task.pool],
        ["Slots in the pool", task.pool_slots],
        ["Priority", task.priority_weight],
        ["Queue", task.queue],
        ["Executor", task.executor],
        ["Executor options", task.executor_config === "{}" ? undefined : task.executor_config],
        ["Host", task.hostname],
        ["User", task.unixname],
        ["Process", task.pid],
        ["DAG version", version && <CodeLink dagId={task.dag_id} version={version.version_number} />],
        ["Bundle", [version?.bundle_name, version?.bundle_version].filter(Boolean).join(" ")],
        ["Trigger", trigger?.classpath],
        ["Trigger since", when(trigger?.created_date)],
        ["Triggerer", triggerer?.hostname],
        ["Id", task.id],
      ]}
    />
  );
}
