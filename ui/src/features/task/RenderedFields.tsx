import { JsonView } from "~/components/JsonView";
import { Notice } from "~/components/Notice";

import styles from "./Tab.module.css";

/** Template fields with the values that they had. */
export function RenderedFields({ fields }: { fields: Record<string, unknown> }) {
  const all = Object.entries(fields);
  if (all.length === 0) {
    return (
      <Notice title="Nothing was rendered">
        <p>The task has no template fields, or has not begun.</p>
      </Notice>
    );
  }
  return (
    <div className={styles.list}>
      {all.map(([name, value]) => (
        <section key={name} aria-label={name}>
          <h3>{name}</h3>
          {typeof value === "string" ? <pre>{value}</pre> : <JsonView value={value} />}
        </section>
      ))}
    </div>
  );
}
