import { useMutation, useQueryClient } from "@tanstack/react-query";

import { api, data } from "~/api/client";
import { useMay } from "~/api/permissions";
import { Toggle } from "~/components/Toggle";

/** Whether a DAG makes runs by itself. Shown as chosen at once; the server's answer decides. */
export function PauseToggle({ dagId, isPaused }: { dagId: string; isPaused: boolean }) {
  const client = useQueryClient();
  const { isAllowed, reason } = useMay()("edit", "DAG", dagId);
  const change = useMutation({
    mutationFn: (paused: boolean) =>
      data(
        api.PATCH("/api/v2/dags/{dag_id}", {
          params: { path: { dag_id: dagId } },
          body: { is_paused: paused },
        }),
      ),
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: ["dags"] }),
        client.invalidateQueries({ queryKey: ["dag", dagId] }),
      ]),
  });
  const shown = change.isPending ? change.variables : isPaused;
  const label = shown ? `Unpause ${dagId}` : `Pause ${dagId}`;
  return (
    <Toggle
      isOn={!shown}
      isDisabled={change.isPending || !isAllowed}
      label={change.error ? `${label}: ${change.error.message}` : label}
      title={reason ?? label}
      onChange={(isOn) => {
        change.mutate(!isOn);
      }}
    />
  );
}
