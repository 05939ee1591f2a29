import { Link, useNavigate, useSearch } from "@tanstack/react-router";

import { useAreViewsKnown } from "~/api/pluginViews";
import type { TaskPlace } from "~/api/queries";
import { prefilled } from "~/features/inquiries/inquiry.model";
import { Question } from "~/features/inquiries/Question";
import { Log } from "~/features/log/Log";
import { DeleteRun } from "~/features/run/DeleteRun";
import { RunView } from "~/features/run/RunView";
import { PluginLinks, usePluginTabs } from "~/features/plugins/tabs";
import { type Chosen, InstanceTable } from "~/features/task/InstanceTable";
import { TaskView } from "~/features/task/TaskView";
import { RunDeadlines } from "~/features/waiting/Cards";
import { Awaited } from "~/features/why/Awaited";
import { NextRun } from "~/features/why/NextRun";
import { Why } from "~/features/why/Why";
import { Notice } from "~/components/Notice";
import { Skeleton } from "~/components/Skeleton";

import { Copies } from "./Copies";
import { Deeds } from "./Deeds";
import { Group } from "./Group";

interface Props {
  dagId: string;
  runId: string | undefined;
  taskId: string | undefined;
  /** In the place of a task: all tasks of a group. */
  groupId?: string | undefined;
  mapIndex: number;
  /** Whether it has the page for itself. */
  isAlone?: boolean;
}

/** All about what is chosen: a task instance, a group, a run, or the run that is to come. The address holds the tab and the try. */
export function Panel({ dagId, runId, taskId, groupId, mapIndex, isAlone = false }: Props) {
  const search = useSearch({ strict: false }) as unknown as Record<string, unknown>;
  const tab = typeof search.tab === "string" ? search.tab : undefined;
  const navigate = useNavigate();
  const more = usePluginTabs("dag_run", { dagId, ...(runId !== undefined && { runId }) });
  const areViewsKnown = useAreViewsKnown();
  const onTab = (next: string, tryNumber?: number) => {
    void navigate({
      to: ".",
      search: ((before: object) => ({ ...before, tab: next, try: tryNumber })) as never,
      replace: true,
    });
  };
  if (runId === undefined) return <NextRun dagId={dagId} hint="Choose a run or a task to see more of it." />;
  if (!areViewsKnown) return <Skeleton />;
  if (taskId === undefined && groupId !== undefined) {
    return <Group key={`${runId} ${groupId}`} dagId={dagId} runId={runId} groupId={groupId} />;
  }
  if (taskId === undefined) {
    return (
      <RunView
        key={runId}
        dagId={dagId}
        runId={runId}
        tab={tab}
        onTab={onTab}
        more={more}
        actions={
          <>
            <PluginLinks destination="dag_run" place={{ dagId, runId }} />
            {!isAlone && (
              <Link to="/dags/$dagId/runs/$runId" params={{ dagId, runId }} search={{ tab }} title="With more room">
                Open ↗
              </Link>
            )}
            <Deeds target={{ kind: "runs", dagId, runIds: [runId] }} hasKeys />
            <DeleteRun
              dagId={dagId}
              runId={runId}
              onDone={() => {
                void navigate({ to: "/dags/$dagId", params: { dagId } });
              }}
            />
          </>
        }
        explain={(why) => (
          <Why dagId={dagId} runId={runId} summary={why.summary} reasons={why.reasons}>
            <Awaited dagId={dagId} runId={runId} tasks={why.waits_for} unfinished={why.unfinished_tasks} />
          </Why>
        )}
        deadlines={<RunDeadlines dagId={dagId} runId={runId} />}
        tasks={
          <InstanceTable
            dagId={dagId}
            runId={runId}
            deeds={(chosen) => <DeedsOf dagId={dagId} runId={runId} chosen={chosen} />}
          />
        }
      />
    );
  }
  const place = { dagId, runId, taskId, mapIndex };
  const tryNumber = typeof search.try === "number" ? search.try : undefined;
  return <OneTask place={place} search={search} tab={tab} tryNumber={tryNumber} onTab={onTab} isAlone={isAlone} />;
}

interface TaskProps {
  place: TaskPlace;
  search: Record<string, unknown>;
  tab: string | undefined;
  tryNumber: number | undefined;
  onTab: (tab: string, tryNumber?: number) => void;
  isAlone: boolean;
}

function OneTask({ place, search, tab, tryNumber, onTab, isAlone }: TaskProps) {
  const { dagId, runId, taskId, mapIndex } = place;
  const more = usePluginTabs("task_instance", place);
  return (
    <TaskView
      key={`${runId} ${taskId} ${mapIndex}`}
      place={place}
      tab={tab}
      tryNumber={tryNumber}
      onTab={onTab}
      more={more}
      actions={
        <>
          <PluginLinks destination="task_instance" place={place} />
          {!isAlone && (
            <Link
              to="/dags/$dagId/runs/$runId/tasks/$taskId"
              params={{ dagId, runId, taskId }}
              search={{ tab, try: tryNumber, ...(mapIndex >= 0 && { map_index: mapIndex }) }}
              title="With more room"
            >
              Open ↗
            </Link>
          )}
          <DeedsOf dagId={dagId} runId={runId} chosen={[place]} hasKeys />
        </>
      }
      copies={<Copies dagId={dagId} runId={runId} taskId={taskId} />}
      explain={(why) => <Why dagId={dagId} runId={runId} taskId={taskId} summary={why.summary} reasons={why.reasons} />}
      log={(task, number) =>
        number === 0 ? (
          <Notice title="It has not begun, so there is no log">
            <p>“Why?” above says what it waits for. What it writes is shown here while it is written.</p>
          </Notice>
        ) : (
          <Log
            key={number}
            place={place}
            tryNumber={number}
            state={number === task.try_number ? task.state : "success"}
          />
        )
      }
      question={(inquiry) => (
        <Question key={inquiry.created_at} inquiry={inquiry} prefill={prefilled(search, inquiry)} />
      )}
    />
  );
}

interface DeedsProps {
  dagId: string;
  runId: string;
  chosen: Chosen[];
  hasKeys?: boolean;
}

/** Of some tasks of a run. */
export function DeedsOf({ dagId, runId, chosen, hasKeys = false }: DeedsProps) {
  const tasks = chosen.map(({ taskId, mapIndex }) => ({ taskId, mapIndex }));
  return <Deeds target={{ kind: "tasks", dagId, runId, tasks }} hasKeys={hasKeys} />;
}
