import { Link } from "@tanstack/react-router";

import styles from "./CodeLink.module.css";

/** The way to the code of a DAG as it was in a version. */
export function CodeLink({ dagId, version }: { dagId: string; version: number }) {
  return (
    <Link
      className={styles.link}
      to="/dags/$dagId/code"
      params={{ dagId }}
      search={{ version }}
      title={`Code of version ${version}`}
    >
      {version}
    </Link>
  );
}
