import { Link } from "@tanstack/react-router";

/** The way to the code of a DAG as it was in a version. */
export function CodeLink({ dagId, version }: { dagId: string; version: number }) {
  return (
    <Link to="/dags/$dagId/code" params={{ dagId }} search={{ version }} title={`Code of version ${version}`}>
      {version}
    </Link>
  );
}
