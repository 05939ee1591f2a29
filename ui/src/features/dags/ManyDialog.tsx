import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";

import { Button } from "~/components/Button";
import { Dialog } from "~/components/Dialog";

import { clear, type Failed, failedOf, pause, remove, runCounts, trigger } from "./askForMany";
import { type ChosenDag, type Concerned, counted, type Deed, deedTitles, forEach, type Outcome } from "./choice.model";
import styles from "./Many.module.css";

interface Props {
  concerned: Concerned;
  onClose: () => void;
  /** All went well. */
  onDone: () => void;
}

/** What is about to be done to several DAGs, to which, and how it went. */
export function ManyDialog({ deed, ...props }: Props & { deed: Deed }) {
  switch (deed) {
    case "pause":
    case "unpause":
      return <Pausing {...props} isPaused={deed === "pause"} />;
    case "trigger":
      return <Triggering {...props} />;
    case "clear":
      return <Clearing {...props} />;
    case "delete":
      return <Deleting {...props} />;
  }
}

function Pausing({ isPaused, ...props }: Props & { isPaused: boolean }) {
  const title = deedTitles[isPaused ? "pause" : "unpause"];
  return (
    <Asking {...props} title={title} dags={props.concerned.dags} work={(dag) => pause(dag, isPaused)}>
      <p>
        {isPaused
          ? "They make no runs by themselves until they are unpaused. Runs that have begun go on."
          : "They make runs by themselves again, and their waiting runs begin."}
      </p>
    </Asking>
  );
}

function Triggering(props: Props) {
  const [unpauses, setUnpauses] = useState(false);
  const { dags } = props.concerned;
  const paused = dags.filter(({ isPaused }) => isPaused).length;
  return (
    <Asking
      {...props}
      title={deedTitles.trigger}
      dags={dags}
      work={(dag) => trigger(dag, unpauses)}
      detail={({ isPaused }) => (isPaused ? "paused" : "")}
    >
      <p>Each gets a run now, with the params that it has by itself.</p>
      {paused > 0 && (
        <Check
          label={`Unpause the ${counted(paused, "DAG")} that are paused`}
          value={unpauses}
          onChange={setUnpauses}
        />
      )}
    </Asking>
  );
}

function Clearing(props: Props) {
  const [onlyNewest, setOnlyNewest] = useState(true);
  const { dags } = props.concerned;
  const { data, error } = useQuery({
    queryKey: ["would-clear-many", onlyNewest, dags.map(({ dagId }) => dagId)],
    queryFn: () => allFailed(dags, onlyNewest),
    gcTime: 0,
    placeholderData: keepPreviousData,
  });
  const byDag = new Map(data?.map((each) => [each.dagId, each]));
  const withFailures = dags.filter(({ dagId }) => (byDag.get(dagId)?.total ?? 0) > 0);
  const runs = withFailures.reduce((sum, { dagId }) => sum + (byDag.get(dagId)?.runIds.length ?? 0), 0);
  const tasks = withFailures.reduce((sum, { dagId }) => sum + (byDag.get(dagId)?.total ?? 0), 0);
  return (
    <Asking
      {...props}
      title={deedTitles.clear}
      dags={withFailures}
      isLoading={data === undefined}
      error={error}
      deed={`Clear ${counted(tasks, "task")} of ${counted(runs, "run")}`}
      empty="None of them has a failed run."
      work={({ dagId }) => clear(dagId, byDag.get(dagId)?.runIds ?? [], false)}
      detail={({ dagId }) => failedWords(byDag.get(dagId))}
    >
      <p>Tasks that failed, or that could not run for one that did, start over.</p>
      <Check label="Only the newest run of each, where it failed" value={onlyNewest} onChange={setOnlyNewest} />
    </Asking>
  );
}

async function allFailed(dags: readonly ChosenDag[], onlyNewest: boolean): Promise<Failed[]> {
  const found: Failed[] = [];
  const { problems } = await forEach(
    dags,
    async (dag) => found.push(await failedOf(dag, onlyNewest)),
    () => undefined,
  );
  if (problems[0]) throw new Error(`${problems[0].dagId}: ${problems[0].message}`);
  return found;
}

const namedTasks = 3;

function failedWords(failed: Failed | undefined): string {
  if (failed === undefined) return "";
  const names = [...new Set(failed.tasks.map(({ name }) => name))];
  const more = failed.total > namedTasks ? ` and ${failed.total - Math.min(namedTasks, names.length)} more` : "";
  return `${counted(failed.runIds.length, "run")}: ${names.slice(0, namedTasks).join(", ")}${more}`;
}

function Deleting(props: Props) {
  const { dags } = props.concerned;
  const { data, error } = useQuery({
    queryKey: ["loss-of-many", dags.map(({ dagId }) => dagId)],
    queryFn: () => runCounts(dags.map(({ dagId }) => dagId)),
    gcTime: 0,
  });
  const runs = dags.reduce((sum, { dagId }) => sum + (data?.get(dagId) ?? 0), 0);
  return (
    <Asking
      {...props}
      title={deedTitles.delete}
      dags={dags}
      isLoading={data === undefined}
      error={error}
      isDangerous
      deed={`Delete ${counted(dags.length, "DAG")} with ${counted(runs, "run")}`}
      work={remove}
      detail={({ dagId }) => counted(data?.get(dagId) ?? 0, "run")}
    >
      <p>
        Their runs, task instances, XComs and history go, and cannot be brought back. A DAG whose file is still there
        comes back as a new one.
      </p>
    </Asking>
  );
}

interface AskingProps extends Props {
  title: string;
  dags: readonly ChosenDag[];
  /** On the button; else the title, and how many. */
  deed?: string;
  isDangerous?: boolean;
  isLoading?: boolean;
  error?: Error | null;
  empty?: string;
  work: (dag: ChosenDag) => Promise<unknown>;
  detail?: ((dag: ChosenDag) => string) | undefined;
  children: ReactNode;
}

function Asking(props: AskingProps) {
  const { title, dags, deed, concerned, work, detail, isLoading = false, error, empty, children } = props;
  const { onClose, onDone } = props;
  const client = useQueryClient();
  const [progress, setProgress] = useState<Outcome>({ over: 0, problems: [] });
  const doing = useMutation({
    mutationFn: () => forEach(dags, work, setProgress),
    onSuccess: async ({ problems }) => {
      await Promise.all(["dags", "latest-runs"].map((name) => client.invalidateQueries({ queryKey: [name] })));
      if (problems.length > 0) return;
      onDone();
      onClose();
    },
  });
  const name = `${title} ${counted(dags.length, "DAG")}`;
  return (
    <Dialog
      isWide
      title={name}
      onClose={onClose}
      onSubmit={() => {
        doing.mutate();
      }}
      buttons={
        <>
          {doing.isPending && <span role="status">{`${progress.over} of ${dags.length}`}</span>}
          <Button onClick={onClose}>{doing.isSuccess ? "Close" : "Cancel"}</Button>
          {!doing.isSuccess && (
            <Button
              kind={props.isDangerous ? "danger" : "deed"}
              type="submit"
              disabled={doing.isPending || isLoading || dags.length === 0}
            >
              {deed ?? name}
            </Button>
          )}
        </>
      }
    >
      {children}
      {error && <p role="alert">{error.message}</p>}
      {!isLoading && dags.length === 0 && <p>{empty}</p>}
      <Affected dags={dags} isLoading={isLoading} detail={detail} problems={progress.problems} />
      <Others concerned={concerned} />
    </Dialog>
  );
}

interface AffectedProps extends Pick<AskingProps, "dags" | "detail"> {
  isLoading: boolean;
  problems: Outcome["problems"];
}

function Affected({ dags, isLoading, detail, problems }: AffectedProps) {
  const messages = new Map(problems.map(({ dagId, message }) => [dagId, message]));
  return (
    <>
      {messages.size > 0 && <p role="alert">{counted(messages.size, "DAG")} could not be changed.</p>}
      <ul className={styles.affected} aria-label="Affected DAGs" aria-busy={isLoading} tabIndex={0}>
        {dags.map((dag) => (
          <li key={dag.dagId}>
            <strong>{dag.title}</strong>
            <span data-problem={messages.has(dag.dagId)}>{messages.get(dag.dagId) ?? detail?.(dag)}</span>
          </li>
        ))}
      </ul>
    </>
  );
}

function Others({ concerned: { others } }: { concerned: Concerned }) {
  if (others.length === 0) return null;
  return (
    <details className={styles.others}>
      <summary>{others.length === 1 ? "1 DAG stays as it is" : `${others.length} DAGs stay as they are`}</summary>
      <ul>
        {others.map(({ dag, reason }) => (
          <li key={dag.dagId}>
            {dag.title}: {reason}
          </li>
        ))}
      </ul>
    </details>
  );
}

function Check({ label, value, onChange }: { label: string; value: boolean; onChange: (value: boolean) => void }) {
  return (
    <label className={styles.check}>
      <input
        type="checkbox"
        checked={value}
        onChange={({ target }) => {
          onChange(target.checked);
        }}
      />
      {label}
    </label>
  );
}
