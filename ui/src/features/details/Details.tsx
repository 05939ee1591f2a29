import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";

import type { Schemas } from "~/api/client";
import { dagDetailsQuery, versionsQuery } from "~/api/dagQueries";
import { Card } from "~/components/Card";
import { Facts } from "~/components/Facts";
import { JsonView } from "~/components/JsonView";
import { Markdown } from "~/components/Markdown";
import { Moment } from "~/components/Moment";
import { Failed } from "~/components/Failed";
import { Skeleton } from "~/components/Skeleton";
import { isHarmless } from "~/lib/markdown";
import { duration } from "~/lib/time";

import { isoSeconds, limits, paramsOf } from "./details.model";
import styles from "./Details.module.css";

const documentationHint = (
  <>
    It has none. The text of <code>doc_md</code> would be here.
  </>
);

interface Props {
  dagId: string;
  codeLink: (version: number) => ReactNode;
  /** Until when its runs have to be over. */
  deadlines?: ReactNode;
}

/** All that is known about a DAG besides its runs. */
export function Details({ dagId, codeLink, deadlines }: Props) {
  const { data: dag, error } = useQuery(dagDetailsQuery(dagId));
  if (error) return <Failed title="The details could not be loaded" error={error} />;
  if (dag === undefined) return <Skeleton />;
  return (
    <div className={styles.details}>
      <Card title="Documentation" empty={dag.doc_md ? undefined : documentationHint}>
        {dag.doc_md && <Markdown source={dag.doc_md} />}
      </Card>
      <Card title="Schedule">
        <Schedule dag={dag} />
      </Card>
      {deadlines}
      <Params params={dag.params} />
      <Card title="About">
        <About dag={dag} />
      </Card>
      <Card title="Limits">
        <Facts isTable facts={limits(dag)} />
      </Card>
      <Versions dagId={dagId} codeLink={codeLink} />
    </div>
  );
}

type Dag = Schemas["DAGDetailsResponse"];

function Schedule({ dag }: { dag: Dag }) {
  const timeout = dag.dag_run_timeout === null ? undefined : isoSeconds(dag.dag_run_timeout);
  return (
    <>
      <Facts
        isTable
        facts={[
          ["Timetable", dag.timetable_summary ?? "by hand only"],
          ["Meaning", dag.timetable_description],
          ["Time zone", dag.timezone],
          ["First date", dag.start_date && <Moment at={dag.start_date} exact />],
          ["Last date", dag.end_date && <Moment at={dag.end_date} exact />],
          ["Next run", dag.next_dagrun_run_after && <Moment at={dag.next_dagrun_run_after} exact />],
          ["Catches up", dag.catchup ? "yes" : "no"],
          ["A run may take", timeout === undefined ? undefined : duration(timeout)],
          ["Paused", dag.is_paused ? "yes" : "no"],
        ]}
      />
      {dag.asset_expression && <JsonView value={dag.asset_expression} />}
    </>
  );
}

function About({ dag }: { dag: Dag }) {
  const took = dag.last_parse_duration;
  return (
    <Facts
      isTable
      facts={[
        ["Description", dag.description],
        ["Owners", dag.owners.length > 0 && <Owners names={dag.owners} links={dag.owner_links ?? {}} />],
        ["Tags", dag.tags.map(({ name }) => name).join(", ")],
        ["File", dag.relative_fileloc ?? dag.fileloc],
        ["Bundle", [dag.bundle_name, dag.bundle_version].filter(Boolean).join(" at ")],
        ["Last read", dag.last_parsed_time && <Moment at={dag.last_parsed_time} exact />],
        ["Reading took", took == null ? undefined : `${Math.round(took * 1000)} ms`],
        ["Is in a file", dag.is_stale ? "no longer" : "yes"],
        ["Can be read", dag.has_import_errors ? "no, see import errors" : "yes"],
      ]}
    />
  );
}

function Owners({ names, links }: { names: string[]; links: Record<string, string> }) {
  return names.map((name) => {
    const address = links[name];
    return (
      <span key={name} className={styles.owner}>
        {address !== undefined && isHarmless(address) ? (
          <a href={address} rel="noreferrer noopener">
            {name}
          </a>
        ) : (
          name
        )}
      </span>
    );
  });
}

function Params({ params }: { params: Dag["params"] }) {
  const all = paramsOf(params);
  return (
    <Card title="Params" count={all.length} empty={all.length === 0 && "It takes none."}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Type</th>
            <th scope="col">Default</th>
            <th scope="col">Description</th>
          </tr>
        </thead>
        <tbody>
          {all.map((each) => (
            <tr key={each.name}>
              <th scope="row">{each.name}</th>
              <td>{each.type}</td>
              <td>
                <code>{each.value}</code>
              </td>
              <td>{each.description}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}

function Versions({ dagId, codeLink }: Props) {
  const { data, error } = useQuery(versionsQuery(dagId));
  return (
    <Card title="Versions" count={data?.total_entries} error={error} isLoading={data === undefined}>
      <table className={styles.table}>
        <tbody>
          {data?.dag_versions.map((version) => (
            <tr key={version.id}>
              <th scope="row">{codeLink(version.version_number)}</th>
              <td>
                <Moment at={version.created_at} exact />
              </td>
              <td>{[version.bundle_name, version.bundle_version].filter(Boolean).join(" at ")}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Card>
  );
}
