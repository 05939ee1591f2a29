import { Link } from "@tanstack/react-router";

import type { Schemas } from "~/api/client";
import { State } from "~/components/State";
import { useSettings } from "~/lib/settings";
import { readable } from "~/lib/time";

import styles from "./Why.module.css";

interface Props {
  dagId: string;
  runId: string;
  tasks: Schemas["AwaitedTaskResponse"][];
  unfinished: number;
}

/** What a running run waits for, and why that has not ended. */
export function Awaited({ dagId, runId, tasks, unfinished }: Props) {
  const { zone } = useSettings();
  if (tasks.length === 0) return null;
  return (
    <ul className={styles.awaited} aria-label="What it waits for">
      {tasks.map(({ task_id: task, map_index: map, state, reasons }) => (
        <li key={`${task} ${map}`}>
          <State state={state} />{" "}
          <Link to="/dags/$dagId" params={{ dagId }} search={{ run: runId, task, ...(map >= 0 && { map }) }}>
            {task}
            {map >= 0 && `[${map}]`}
          </Link>
          {reasons.map(({ text }) => (
            <small key={text}>{readable(text, zone)}</small>
          ))}
        </li>
      ))}
      {unfinished > tasks.length && <li>… and {unfinished - tasks.length} more that have not ended</li>}
    </ul>
  );
}
