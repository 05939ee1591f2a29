import { Link, useParams } from "@tanstack/react-router";

import { PluginPlace } from "~/features/plugins/PluginPlace";

/** A view of a plugin about a DAG. */
export function DagPluginView() {
  const { dagId, route } = useParams({ from: "/dags/$dagId/plugin/$route" });
  return (
    <PluginPlace destinations={["dag"]} route={route} place={{ dagId }}>
      <Link to="/dags/$dagId" params={{ dagId }}>
        Back to the grid
      </Link>
    </PluginPlace>
  );
}
