import { useNavigate, useParams, useSearch } from "@tanstack/react-router";

import { useAreViewsKnown } from "~/api/pluginViews";
import { Skeleton } from "~/components/Skeleton";
import { TabsAndMore } from "~/components/Tabs";
import { Together } from "~/components/Together";
import { PluginLinks, usePluginTabs } from "~/features/plugins/tabs";
import { GroupHistory, TaskHistory } from "~/features/tasks/History";

export function TaskHistoryView() {
  const { dagId, taskId } = useParams({ from: "/dags/$dagId/tasks/$taskId" });
  const place = { dagId, taskId };
  const { tab } = useSearch({ from: "/dags/$dagId" });
  const navigate = useNavigate();
  const more = usePluginTabs("task", place);
  const areViewsKnown = useAreViewsKnown();
  if (!areViewsKnown) return <Skeleton />;
  const history = (
    <Together key={taskId}>
      <TaskHistory dagId={dagId} taskId={taskId} />
    </Together>
  );
  return (
    <>
      <PluginLinks destination="task" place={place} />
      {more.length === 0 ? (
        history
      ) : (
        <TabsAndMore
          label="About the task"
          tabs={[["history", "In all runs"]]}
          chosen="history"
          wanted={tab}
          more={more}
          onChoose={(name) => {
            void navigate({
              to: ".",
              search: ((before: object) => ({ ...before, tab: name })) as never,
              replace: true,
            });
          }}
        >
          {history}
        </TabsAndMore>
      )}
    </>
  );
}

export function GroupHistoryView() {
  const { dagId, groupId } = useParams({ from: "/dags/$dagId/tasks/group/$groupId" });
  return (
    <Together key={groupId}>
      <GroupHistory dagId={dagId} groupId={groupId} />
    </Together>
  );
}
