import type { Schemas } from "~/api/client";
import { useSettings } from "~/lib/settings";

import styles from "./RunFields.module.css";
import type { RunOptions } from "./run_request.model";

interface Props {
  dag: Schemas["DAGDetailsResponse"];
  options: RunOptions;
  onChange: (options: RunOptions) => void;
}

/** What a run has besides its params. */
export function RunFields({ dag, options, onChange }: Props) {
  const { zone } = useSettings();
  return (
    <details className={styles.run} open={dag.is_paused}>
      <summary>The run</summary>
      <div className={styles.fields}>
        <label>
          Logical date
          <input
            type="datetime-local"
            step={1}
            value={options.logicalDate}
            onChange={({ target }) => {
              onChange({ ...options, logicalDate: target.value });
            }}
          />
          <small>In {zone}. Without one, the run has none and starts at once.</small>
        </label>
        <label>
          Run id
          <input
            value={options.runId}
            placeholder="Made by the server"
            autoComplete="off"
            onChange={({ target }) => {
              onChange({ ...options, runId: target.value });
            }}
          />
        </label>
        <label>
          Note
          <textarea
            rows={2}
            maxLength={1000}
            value={options.note}
            onChange={({ target }) => {
              onChange({ ...options, note: target.value });
            }}
          />
        </label>
        {dag.is_paused && (
          <label className={styles.check}>
            <input
              type="checkbox"
              checked={options.unpauses}
              onChange={({ target }) => {
                onChange({ ...options, unpauses: target.checked });
              }}
            />
            Unpause {dag.dag_display_name}: as long as it is paused, the run stays queued
          </label>
        )}
      </div>
    </details>
  );
}
