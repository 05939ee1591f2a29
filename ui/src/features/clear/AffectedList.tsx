import { State } from "~/components/State";

import type { Preview } from "./ask";
import styles from "./Clear.module.css";

interface Props {
  preview: Preview | undefined;
  error: Error | null;
  isBusy: boolean;
  empty: string;
}

/** What would change. */
export function AffectedList({ preview, error, isBusy, empty }: Props) {
  if (error) return <p role="alert">{error.message}</p>;
  const { tasks, total } = preview ?? { tasks: [], total: 0 };
  const runs = new Set(tasks.map(({ runId }) => runId)).size;
  return (
    <section className={styles.affected} aria-label="Affected tasks" aria-busy={isBusy}>
      <h3>
        Affected tasks <small>{preview === undefined ? "" : total}</small>
      </h3>
      {preview !== undefined && total === 0 && <p>{empty}</p>}
      <ul tabIndex={0} aria-label="Affected tasks">
        {tasks.map(({ key, name, runId, state }) => (
          <li key={key}>
            <span>{name}</span>
            {runs > 1 && <small>{runId}</small>}
            {state !== undefined && <State state={state} />}
          </li>
        ))}
        {total > tasks.length && <li>… and {total - tasks.length} more</li>}
      </ul>
    </section>
  );
}
