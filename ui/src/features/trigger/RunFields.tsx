import type { ReactNode } from "react";

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
        <Moment label="Logical date" name="logicalDate" options={options} onChange={onChange}>
          <small>All dates are in {zone}. Without one, the run has none and starts at once.</small>
        </Moment>
        <div className={styles.pair}>
          <Moment label="Data interval from" name="from" options={options} onChange={onChange} />
          <Moment label="to" name="to" options={options} onChange={onChange} />
        </div>
        <div className={styles.pair}>
          <Moment label="Run after" name="runAfter" options={options} onChange={onChange} />
          <label>
            Partition key
            <input
              value={options.partitionKey}
              autoComplete="off"
              onChange={({ target }) => {
                onChange({ ...options, partitionKey: target.value });
              }}
            />
          </label>
        </div>
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

interface MomentProps extends Omit<Props, "dag"> {
  label: string;
  name: "logicalDate" | "from" | "to" | "runAfter";
  children?: ReactNode;
}

function Moment({ label, name, options, onChange, children }: MomentProps) {
  return (
    <label>
      {label}
      <input
        type="datetime-local"
        step={1}
        value={options[name]}
        onChange={({ target }) => {
          onChange({ ...options, [name]: target.value });
        }}
      />
      {children}
    </label>
  );
}
