import styles from "./Skeleton.module.css";

/** In the place of something that is being loaded. It shows only if that takes a while. */
export function Skeleton({ lines = 8 }: { lines?: number }) {
  return (
    <div className={styles.skeleton} role="status" aria-busy="true" aria-label="Loading">
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} />
      ))}
    </div>
  );
}
