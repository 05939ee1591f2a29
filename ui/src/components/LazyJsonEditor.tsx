import { lazy, Suspense, type ComponentProps } from "react";

import styles from "./JsonEditor.module.css";

/** Large, and few people edit JSON. */
const Editor = lazy(() => import("./JsonEditor"));

/** The editor of JSON, in a place that does not jump when it comes. */
export function LazyJsonEditor(props: ComponentProps<typeof Editor>) {
  return (
    <Suspense fallback={<div className={styles.editor} aria-busy="true" />}>
      <Editor {...props} />
    </Suspense>
  );
}
