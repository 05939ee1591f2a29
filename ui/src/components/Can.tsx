import type { ReactNode } from "react";

import { type Action, type Resource, useMay } from "~/api/permissions";

import styles from "./Can.module.css";

interface Props {
  action: Action;
  resource: Resource;
  /** Of what belongs to a DAG. */
  dagId?: string;
  /** Show it to others too: disabled, and with the reason. */
  explain?: boolean;
  children: ReactNode;
}

/** What only those see, or can use, who may do it. How to use it is said in `api/permissions.ts`. */
export function Can({ action, resource, dagId, explain = false, children }: Props) {
  const { isAllowed, reason } = useMay()(action, resource, dagId);
  if (isAllowed) return children;
  if (!explain || reason === undefined) return null;
  return (
    <fieldset className={styles.refused} disabled title={reason} aria-label={reason}>
      {children}
    </fieldset>
  );
}
