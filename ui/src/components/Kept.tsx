import { JsonView } from "./JsonView";
import styles from "./Kept.module.css";
import { Moment } from "./Moment";
import { Failed } from "./Failed";
import { Notice } from "./Notice";
import { Skeleton } from "./Skeleton";

interface Value {
  key: string;
  value: unknown;
  updated_at: string;
  expires_at?: string | null;
  by?: string | undefined;
}

interface Props {
  values: Value[] | undefined;
  total: number | undefined;
  error: Error | null;
  /** What would be here. */
  empty: string;
}

/** Small values that were left for later, by their keys. */
export function Kept({ values, total = 0, error, empty }: Props) {
  if (error) return <Failed title="What is kept could not be loaded" error={error} />;
  if (values === undefined) return <Skeleton />;
  if (values.length === 0)
    return (
      <Notice title="Nothing is kept">
        <p>{empty}</p>
      </Notice>
    );
  return (
    <>
      {total > values.length && (
        <p>
          The first {values.length} of {total}
        </p>
      )}
      <div className={styles.list}>
        {values.map(({ key, value, updated_at: at, expires_at: until, by }) => (
          <section key={key} aria-label={`Kept as ${key}`}>
            <div className={styles.head}>
              <h3>{key}</h3>
              <small>
                <Moment at={at} exact />
                {by && ` by ${by}`}
                {until && (
                  <>
                    , until <Moment at={until} exact />
                  </>
                )}
              </small>
            </div>
            <JsonView value={value} />
          </section>
        ))}
      </div>
    </>
  );
}
