import { useMutation, useQueryClient } from "@tanstack/react-query";

import { api } from "~/api/client";

import styles from "./DagTable.module.css";

/** Whether a DAG is a favorite of whoever looks. */
export function FavoriteStar({ dagId, isFavorite }: { dagId: string; isFavorite: boolean }) {
  const client = useQueryClient();
  const path = { params: { path: { dag_id: dagId } } };
  const change = useMutation({
    mutationFn: async (wanted: boolean) => {
      await (wanted
        ? api.POST("/api/v2/dags/{dag_id}/favorite", path)
        : api.POST("/api/v2/dags/{dag_id}/unfavorite", path));
    },
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: ["favorites"] }),
        client.invalidateQueries({ queryKey: ["dags"] }),
      ]),
  });
  const shown = change.isPending ? change.variables : isFavorite;
  return (
    <button
      type="button"
      className={styles.star}
      aria-pressed={shown}
      aria-label={`Favorite ${dagId}`}
      title={shown ? "No favorite any more" : "Make it a favorite"}
      onClick={() => {
        change.mutate(!shown);
      }}
    >
      {shown ? "★" : "☆"}
    </button>
  );
}
