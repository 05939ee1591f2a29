import { stateName } from "~/lib/states";

import styles from "./State.module.css";

/** A state in its colour and with its name: nobody has to tell colours apart. */
export function State({ state }: { state: string | null | undefined }) {
  const name = state ?? "none";
  return (
    <span className={styles.state} data-state={name}>
      <span className={name === "running" ? "pulse" : undefined} aria-hidden="true" />
      {stateName(state)}
    </span>
  );
}
