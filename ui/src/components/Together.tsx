import { type Query, useIsFetching, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useEffect, useState } from "react";

import { Skeleton } from "./Skeleton";
import styles from "./Together.module.css";

/** So long the quick parts wait for the slow ones, in milliseconds. */
const patience = 1_500;

/**
 * Parts of a page whose heights only their data tell. They are shown at once when all of them have come: one after the
 * other, each would push away what somebody is reading. One that takes long does not keep back the others.
 */
export function Together({ children, lines = 12 }: { children: ReactNode; lines?: number }) {
  const client = useQueryClient();
  const [isShown, setShown] = useState(false);
  const pending = useIsFetching({ predicate: isAwaited });
  useEffect(() => {
    // Asked a moment later, and not by what was drawn: what has just come may let others be asked for.
    return after(0, () => {
      if (client.isFetching({ predicate: isAwaited }) === 0) setShown(true);
    });
  }, [client, pending]);
  useEffect(
    () =>
      after(patience, () => {
        setShown(true);
      }),
    [],
  );
  return (
    <div className={styles.together}>
      {!isShown && (
        <div className={styles.instead}>
          <Skeleton lines={lines} />
        </div>
      )}
      <div className={styles.parts} data-shown={isShown}>
        {children}
      </div>
    </div>
  );
}

function isAwaited(query: Query): boolean {
  return query.state.status === "pending" && query.isActive();
}

function after(milliseconds: number, run: () => void): () => void {
  const timer = window.setTimeout(run, milliseconds);
  return () => {
    window.clearTimeout(timer);
  };
}
