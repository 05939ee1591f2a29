import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";

import { recentRunsQuery } from "~/api/dagQueries";
import { graphQuery } from "~/api/queries";
import { Failed } from "~/components/Failed";
import { Notice } from "~/components/Notice";
import { Skeleton } from "~/components/Skeleton";
import { Toolbar } from "~/components/Toolbar";
import { Compare } from "~/features/compare/Compare";

/** Of the two runs that the address names; without, of the two newest. */
export function CompareView() {
  const { dagId } = useParams({ from: "/dags/$dagId" });
  const search = useSearch({ from: "/dags/$dagId" });
  const { data: graph } = useQuery(graphQuery(dagId));
  const { data: recent, error } = useQuery(recentRunsQuery(dagId));
  const order = useMemo(() => graph?.rows.map(({ node_id }) => node_id) ?? [], [graph?.rows]);
  const runs = recent?.map(({ run_id }) => run_id) ?? [];
  const left = search.left ?? runs.at(-2);
  const right = search.right ?? runs.at(-1);
  if (left === undefined || right === undefined) {
    if (error) return <Failed title="The runs could not be loaded" error={error} />;
    if (recent === undefined) return <Skeleton />;
    return (
      <Notice title="There are no two runs to compare yet">
        <p>Trigger it, and come back when it has run twice.</p>
      </Notice>
    );
  }
  return (
    <>
      <Toolbar>
        <Choice label="Left" name="left" runs={runs} value={left} />
        <Choice label="Right" name="right" runs={runs} value={right} />
      </Toolbar>
      <Compare
        dagId={dagId}
        left={left}
        right={right}
        order={order}
        link={(run, task) => (
          <Link to="/dags/$dagId" params={{ dagId }} search={{ run, task }}>
            {task ?? run}
          </Link>
        )}
      />
    </>
  );
}

interface ChoiceProps {
  label: string;
  name: "left" | "right";
  runs: string[];
  value: string;
}

function Choice({ label, name, runs, value }: ChoiceProps) {
  const navigate = useNavigate();
  const newest = [...new Set([...runs, value])].reverse();
  return (
    <label>
      {label}
      <select
        value={value}
        onChange={({ target }) => {
          void navigate({ to: ".", search: (before) => ({ ...before, [name]: target.value }), replace: true });
        }}
      >
        {newest.map((run) => (
          <option key={run}>{run}</option>
        ))}
      </select>
    </label>
  );
}
