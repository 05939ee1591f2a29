import type { ReactNode } from "react";

import styles from "./Card.module.css";
import { TryAgain } from "./Failed";
import { Skeleton } from "./Skeleton";

interface Props {
  title: string;
  /** Beside the title: how many there are. */
  count?: number | undefined;
  /** At the end of the heading: where more of it is. */
  more?: ReactNode;
  error?: Error | null;
  isLoading?: boolean;
  /** How many rows it usually has: so much room is kept for them. */
  usually?: number;
  /** In the place of what is not there. */
  empty?: ReactNode;
  children: ReactNode;
}

/** A part of a page with a heading. It has the same height while it is loaded and when it is empty. */
export function Card({ title, count, more, error, isLoading = false, usually = 2, empty, children }: Props) {
  return (
    <section className={styles.card} aria-label={title}>
      <h2>
        {title} {count !== undefined && <small>{count}</small>}
        {more && <span className={styles.more}>{more}</span>}
      </h2>
      {error ? (
        <div className={styles.failed} role="alert">
          {error.message} <TryAgain />
        </div>
      ) : empty ? (
        <p className={styles.empty}>{empty}</p>
      ) : isLoading ? (
        <Skeleton lines={usually} />
      ) : (
        children
      )}
    </section>
  );
}
