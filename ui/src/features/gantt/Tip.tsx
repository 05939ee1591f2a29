import { useSettings } from "~/lib/settings";
import { stateName } from "~/lib/states";
import { duration, instant } from "~/lib/time";

import type { Line, Try } from "./gantt.model";
import styles from "./Gantt.module.css";

export interface Told {
  line: Line;
  each: Try;
  /** Where on the screen the bar is. */
  place: DOMRect;
}

const height = 180;

/** What a bar stands for, beside it. */
export function Tip({ line, each, place }: Told) {
  const { zone } = useSettings();
  const isBelow = place.bottom + height < window.innerHeight;
  return (
    <div
      className={styles.tip}
      role="status"
      style={{
        left: Math.max(8, Math.min(place.left, window.innerWidth - 340)),
        ...(isBelow ? { top: place.bottom + 6 } : { bottom: window.innerHeight - place.top + 6 }),
      }}
    >
      <strong>{line.label}</strong> try {each.number}, {stateName(each.state)}
      <table>
        <tbody>
          {each.segments.map((part) => (
            <tr key={`${part.state} ${part.from}`} data-state={part.state}>
              <th scope="row">{stateName(part.state)}</th>
              <td>{instant(new Date(part.from).toISOString(), zone).slice(11)}</td>
              <td>{duration((part.to - part.from) / 1000)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
