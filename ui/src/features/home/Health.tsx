import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";

import { livingQuery } from "~/api/around";
import { useMay } from "~/api/permissions";
import { healthQuery } from "~/api/queries";
import { Failed } from "~/components/Failed";

import styles from "./Health.module.css";
import { healthOf, type Part } from "./health.model";

const words = { healthy: "healthy", unhealthy: "not heard of", unknown: "not there" };

/** All parts of the deployment: a word for each, and how many of them live. */
export function Health() {
  const { data, error, isPending } = useQuery(healthQuery);
  const seesProcesses = useMay()("read", "job").isAllowed;
  const { data: living = [] } = useQuery({ ...livingQuery, enabled: seesProcesses });
  if (error) return <Failed title="The server gives no answer" error={error} />;
  return (
    <ul className={styles.health} aria-label="Health">
      {healthOf(data, living).map((part) => (
        <li key={part.name} data-status={isPending ? "unknown" : part.status}>
          <span aria-hidden="true" />
          <Name part={part} isLink={seesProcesses && part.name !== "Database"} />
          <small>{isPending ? "…" : words[part.status]}</small>
        </li>
      ))}
    </ul>
  );
}

function Name({ part, isLink }: { part: Part; isLink: boolean }) {
  const text = part.count > 1 ? `${part.name} × ${part.count}` : part.name;
  return isLink ? <Link to="/jobs">{text}</Link> : <span>{text}</span>;
}
