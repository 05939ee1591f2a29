import { useMutation, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { Fragment, type ReactNode } from "react";

import { api, data } from "~/api/client";
import { useMay } from "~/api/permissions";
import { Button } from "~/components/Button";
import { Moment } from "~/components/Moment";
import { useSettings } from "~/lib/settings";
import { readable } from "~/lib/time";

import { others, type Reason, untilOf, type Way, waysFrom } from "./why.model";
import styles from "./Why.module.css";

interface Props {
  dagId: string;
  /** Of what is explained; none: a run that is not there yet. */
  runId?: string | undefined;
  taskId?: string | undefined;
  summary: string;
  reasons: readonly Reason[];
  children?: ReactNode;
}

/** Why something does not run, in the words of the engine that decides it, and the way to what stands in the way. */
export function Why({ dagId, runId, taskId, summary, reasons, children }: Props) {
  const { zone } = useSettings();
  const inWords = (text: string) => readable(text, zone);
  const rest = others(summary, reasons);
  const said = reasons.filter((reason) => !rest.includes(reason));
  return (
    <section className={styles.why} aria-label="Why?">
      <h2>Why?</h2>
      <p>
        {inWords(summary)} <Ways reasons={said} dagId={dagId} runId={runId} taskId={taskId} />
      </p>
      {rest.length > 0 && (
        <ul>
          {rest.map((reason) => (
            <li key={reason.text}>
              {inWords(reason.text)} <Ways reasons={[reason]} dagId={dagId} runId={runId} taskId={taskId} />
            </li>
          ))}
        </ul>
      )}
      {children}
    </section>
  );
}

type WaysProps = Pick<Props, "dagId" | "runId" | "taskId"> & { reasons: readonly Reason[] };

function Ways({ reasons, ...place }: WaysProps) {
  return reasons.map((reason) => {
    const until = untilOf(reason);
    return (
      <Fragment key={reason.text}>
        {until !== undefined && (
          <small>
            ({!reason.text.includes(until) && [<Moment key="exact" at={until} exact />, ", "]}
            <Moment at={until} />){" "}
          </small>
        )}
        {waysFrom(reason).map((way) => (
          <span key={JSON.stringify(way)} className={styles.way}>
            <WayOut way={way} {...place} />
          </span>
        ))}
      </Fragment>
    );
  });
}

function WayOut({ way, dagId, runId, taskId }: Omit<WaysProps, "reasons"> & { way: Way }) {
  switch (way.kind) {
    case "pool":
      return <Link to="/pools">Pool {way.name}</Link>;
    case "task":
      return (
        <Link to="/dags/$dagId" params={{ dagId }} search={{ run: runId, task: way.taskId }}>
          {way.taskId}
        </Link>
      );
    case "asset":
      return <span>{way.name}</span>;
    case "runs":
      return (
        <Link to="/dags/$dagId/runs" params={{ dagId }} search={{ state: "running" }}>
          Running runs
        </Link>
      );
    case "backfills":
      return (
        <Link to="/dags/$dagId/backfills" params={{ dagId }}>
          Backfills
        </Link>
      );
    case "import errors":
      return <Link to="/import_errors">Import errors</Link>;
    case "question":
      return runId === undefined || taskId === undefined ? (
        <Link to="/required_actions">Required actions</Link>
      ) : (
        <Link
          to="/dags/$dagId/runs/$runId/tasks/$taskId"
          params={{ dagId, runId, taskId }}
          search={{ tab: "required_actions" }}
        >
          Answer
        </Link>
      );
    case "unpause":
      return <Unpause dagId={dagId} />;
  }
}

function Unpause({ dagId }: { dagId: string }) {
  const client = useQueryClient();
  const { isAllowed, reason } = useMay()("edit", "DAG", dagId);
  const unpausing = useMutation({
    mutationFn: () =>
      data(api.PATCH("/api/v2/dags/{dag_id}", { params: { path: { dag_id: dagId } }, body: { is_paused: false } })),
    onSettled: () =>
      Promise.all(["dag", "run", "task"].map((name) => client.invalidateQueries({ queryKey: [name, dagId] }))),
  });
  return (
    <>
      <Button
        className={styles.deed}
        disabled={!isAllowed || unpausing.isPending}
        title={reason}
        onClick={() => {
          unpausing.mutate();
        }}
      >
        Unpause it
      </Button>
      {unpausing.error && <span role="alert">{unpausing.error.message}</span>}
    </>
  );
}
