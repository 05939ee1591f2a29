import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useId, useRef, useState } from "react";

import { api, data, type Schemas } from "~/api/client";
import { dagDetailsQuery } from "~/api/dagQueries";
import { Button } from "~/components/Button";
import { Can } from "~/components/Can";

import styles from "./DagMenu.module.css";
import { useFavorite } from "./FavoriteStar";
import { ManyDialog } from "./ManyDialog";

type Dag = Schemas["DAGResponse"];

/** What is done to a DAG less often. */
export function DagMenu({ dag }: { dag: Dag }) {
  const id = useId();
  const menu = useRef<HTMLDivElement>(null);
  const navigate = useNavigate();
  const [isOpen, setOpen] = useState(false);
  const [isDeleting, setDeleting] = useState(false);
  const { dag_id: dagId, dag_display_name: title, is_paused: isPaused } = dag;
  const stop = () => {
    setDeleting(false);
  };
  return (
    <>
      <Button popoverTarget={id} aria-label="More" title="More">
        ⋯
      </Button>
      <div
        id={id}
        ref={menu}
        popover="auto"
        className={styles.menu}
        role="dialog"
        aria-label={`More of ${title}`}
        onToggle={({ newState }) => {
          setOpen(newState === "open");
        }}
      >
        {isOpen && <Favorite dagId={dagId} />}
        <Can action="edit" resource="DAG" dagId={dagId} explain>
          <ReadAgain dag={dag} />
        </Can>
        <Can action="delete" resource="DAG" dagId={dagId} explain>
          <Button
            kind="danger"
            onClick={() => {
              menu.current?.hidePopover();
              setDeleting(true);
            }}
          >
            Delete…
          </Button>
        </Can>
      </div>
      {isDeleting && (
        <ManyDialog
          deed="delete"
          concerned={{ dags: [{ dagId, title, isPaused }], others: [] }}
          onClose={stop}
          onDone={() => {
            stop();
            void navigate({ to: "/dags" });
          }}
        />
      )}
    </>
  );
}

/** Whether it is one is asked for when somebody wants to know. */
function Favorite({ dagId }: { dagId: string }) {
  const { data: details } = useQuery(dagDetailsQuery(dagId));
  const { isFavorite, change } = useFavorite(dagId, details?.is_favorite ?? false);
  return (
    <Button
      disabled={details === undefined}
      aria-pressed={isFavorite}
      onClick={() => {
        change(!isFavorite);
      }}
    >
      {isFavorite ? "★ No favorite any more" : "☆ Make it a favorite"}
    </Button>
  );
}

/** Changed or not: for a file that looks at something outside of it. */
function ReadAgain({ dag }: { dag: Dag }) {
  const client = useQueryClient();
  const reading = useMutation({
    mutationFn: () =>
      data(api.PUT("/api/v2/parseDagFile/{file_token}", { params: { path: { file_token: dag.file_token } } })),
    onSuccess: () => client.invalidateQueries({ queryKey: ["dag", dag.dag_id] }),
  });
  return (
    <>
      <Button
        disabled={reading.isPending || dag.is_stale}
        title={dag.is_stale ? "Its file is gone" : undefined}
        onClick={() => {
          reading.mutate();
        }}
      >
        Read its file again
      </Button>
      {reading.isSuccess && <small role="status">It will be read in a moment.</small>}
      {reading.error && <small role="alert">{reading.error.message}</small>}
    </>
  );
}
