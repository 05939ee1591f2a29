import { childrenOf, isLong, summaryOf, written } from "./json.model";
import styles from "./JsonView.module.css";

interface Props {
  value: unknown;
  /** How many levels are open at first. */
  open?: number;
}

/** A value of JSON, as a tree that can be folded. Everything in it is text. */
export function JsonView({ value, open = 2 }: Props) {
  return (
    <div className={styles.json}>
      <Value name={undefined} value={value} open={open} />
    </div>
  );
}

interface ValueProps {
  name: string | undefined;
  value: unknown;
  open: number;
}

function Value({ name, value, open }: ValueProps) {
  const inner = childrenOf(value);
  const label = name === undefined ? null : <span className={styles.name}>{name}: </span>;
  if (inner === undefined || inner.shown.length === 0) {
    const text = written(value);
    return (
      <div className={styles.leaf} data-long={isLong(text)}>
        {label}
        <span data-type={value === null ? "null" : typeof value}>{text}</span>
      </div>
    );
  }
  return (
    <details open={open > 0}>
      <summary>
        {label}
        <span className={styles.summary}>{summaryOf(value)}</span>
      </summary>
      <div className={styles.inner}>
        {inner.shown.map(([key, each]) => (
          <Value key={key} name={key} value={each} open={open - 1} />
        ))}
        {inner.more > 0 && <div className={styles.summary}>… and {inner.more} more</div>}
      </div>
    </details>
  );
}
