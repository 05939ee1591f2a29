import { useMutation, useQueryClient } from "@tanstack/react-query";

import { api } from "~/api/client";

import styles from "./DagTable.module.css";

/** Whether a DAG is a favorite of whoever looks, and how to change that. */
export function useFavorite(dagId: string, isFavorite: boolean) {
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
        client.invalidateQueries({ queryKey: ["dag", dagId, "details"] }),
      ]),
  });
  return { isFavorite: change.isPending ? change.variables : isFavorite, change: change.mutate };
}

export function FavoriteStar(dag: { dagId: string; isFavorite: boolean }) {
  const { isFavorite: shown, change } = useFavorite(dag.dagId, dag.isFavorite);
  return (
    <button
      type="button"
      className={styles.star}
      aria-pressed={shown}
      aria-label={`Favorite ${dag.dagId}`}
      title={shown ? "No favorite any more" : "Make it a favorite"}
      onClick={() => {
        change(!shown);
      }}
    >
      {shown ? "★" : "☆"}
    </button>
  );
}
