import type { ReactNode } from "react";

import { duration } from "~/lib/time";

import { type ChartBar, drawn, lines } from "./chart.model";
import styles from "./Chart.module.css";

interface Props {
  /** What it shows, for those who cannot see it. */
  label: string;
  bars: readonly ChartBar[];
  unit: "count" | "seconds";
  /** A value that bars are compared with, and how it is called. */
  usual?: { value: number; name: string } | undefined;
  /** Where a bar leads to: a link around what is drawn. */
  link?: ((bar: ChartBar, inner: ReactNode) => ReactNode) | undefined;
}

/** Bars beside each other, in the colours of states, over round lines. */
export function Chart({ label, bars, unit, usual, link = (_, inner) => inner }: Props) {
  const values = lines(bars, unit);
  const top = values.at(-1) ?? 1;
  const written = (value: number) => (unit === "seconds" ? duration(value) : String(value));
  return (
    <figure className={styles.chart} aria-label={label}>
      <div className={styles.lines} aria-hidden="true">
        {values.map((value) => (
          <span key={value} style={{ bottom: `${(100 * value) / top}%` }}>
            {written(value)}
          </span>
        ))}
        {usual && usual.value > 0 && (
          <i style={{ bottom: `${(100 * usual.value) / top}%` }} title={`${usual.name}: ${written(usual.value)}`} />
        )}
      </div>
      <ol className={styles.bars}>
        {drawn(bars, top).map(({ bar, parts }) => (
          <li key={bar.key} title={bar.label}>
            {link(
              bar,
              <span className={styles.bar} role="img" aria-label={bar.label}>
                {parts.map(({ state, height }) => (
                  <span key={state} data-state={state} style={{ height: `${height}%` }} />
                ))}
              </span>,
            )}
            {bar.mark !== undefined && <small aria-hidden="true">{bar.mark}</small>}
          </li>
        ))}
      </ol>
    </figure>
  );
}
