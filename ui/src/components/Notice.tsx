import type { ReactNode } from "react";

import styles from "./Notice.module.css";

/** In the place of something that is not there: what happened, and what to do next. */
export function Notice({
  title,
  children,
  isError = false,
}: {
  title: string;
  /** What to do next. */
  children: ReactNode;
  isError?: boolean;
}) {
  return (
    <div className={styles.notice} data-notice="" role={isError ? "alert" : "status"} data-error={isError}>
      <strong>{title}</strong>
      {children}
    </div>
  );
}
