import { described, segments, type Slots } from "./pool.model";
import styles from "./PoolBar.module.css";

/** Who has the slots of a pool, and who waits for them. */
export function PoolBar({ pool }: { pool: Slots }) {
  return (
    <span className={styles.bar} role="img" aria-label={described(pool)} title={described(pool)}>
      {segments(pool).map(({ state, percent }) => (
        <span key={state} data-state={state} style={{ width: `${percent}%` }} />
      ))}
    </span>
  );
}
