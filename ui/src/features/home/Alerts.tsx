import { useQuery } from "@tanstack/react-query";

import { alertsQuery } from "~/api/around";
import { Failed } from "~/components/Failed";
import { Markdown } from "~/components/Markdown";

import styles from "./Alerts.module.css";

const titles = { info: "Note", warning: "Warning", error: "Important" };

/** What the people who run the deployment have to say; not there where they say nothing. */
export function Alerts() {
  const { data: alerts = [], error } = useQuery(alertsQuery);
  if (error) return <Failed title="Alerts could not be loaded" error={error} />;
  if (alerts.length === 0) return null;
  return (
    <ul className={styles.alerts} aria-label="Alerts">
      {alerts.map(({ text, category }, position) => (
        <li key={position} data-category={category}>
          <strong>{titles[category]}</strong>
          <Markdown source={text} />
        </li>
      ))}
    </ul>
  );
}
