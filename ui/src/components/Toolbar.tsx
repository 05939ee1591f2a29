import type { ReactNode } from "react";

import styles from "./Toolbar.module.css";

/** What a view can be told, in one line above it. What has `data-push` goes to the right. */
export function Toolbar({ children }: { children: ReactNode }) {
  return <div className={styles.toolbar}>{children}</div>;
}
