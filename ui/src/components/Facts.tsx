import type { ReactNode } from "react";

import styles from "./Facts.module.css";
import { Moment } from "./Moment";

export type Fact = readonly [name: string, value: ReactNode];

/** An instant as a value; none where there is none. */
export function when(at: string | null | undefined): ReactNode {
  return at == null ? undefined : <Moment at={at} exact />;
}

/** Names and values. Those without a value are left out. */
export function Facts({ facts, isTable = false }: { facts: readonly Fact[]; isTable?: boolean }) {
  const shown = facts.filter(([, value]) => value !== null && value !== undefined && value !== "");
  return (
    <dl className={styles.facts} data-table={isTable}>
      {shown.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
