import { useQuery } from "@tanstack/react-query";
import { lazy, Suspense } from "react";

import { versionSourceQuery, versionsQuery } from "~/api/dagQueries";
import { Failed } from "~/components/Failed";
import { Skeleton } from "~/components/Skeleton";
import { Toolbar } from "~/components/Toolbar";
import { useSettings } from "~/lib/settings";
import { instant } from "~/lib/time";

const CodeView = lazy(() => import("./CodeView"));

interface Props {
  dagId: string;
  /** undefined: the newest. */
  version: number | undefined;
  /** The older one that it is shown beside. */
  against: number | undefined;
  onChoose: (chosen: { version: number | undefined; against: number | undefined }) => void;
}

/** The file of a DAG as it was when a version was read, and what changed since another one. */
export function Code(props: Props) {
  const { dagId, version, against } = props;
  const shown = useQuery(versionSourceQuery(dagId, version));
  const older = useQuery({ ...versionSourceQuery(dagId, against), enabled: against !== undefined });
  const error = shown.error ?? older.error;
  return (
    <>
      <Choices {...props} />
      {error && <Failed title="The code could not be loaded" error={error} />}
      {!error && <Texts version={version} against={against} text={shown.data} before={older.data} />}
    </>
  );
}

interface TextsProps extends Pick<Props, "version" | "against"> {
  text: string | undefined;
  before: string | undefined;
}

function Texts({ version, against, text, before }: TextsProps) {
  if (text === undefined || (against !== undefined && before === undefined)) return <Skeleton />;
  const name = (number: number | undefined) => (number === undefined ? "Code" : `Code of version ${number}`);
  return (
    <>
      <Suspense fallback={<Skeleton />}>
        <CodeView
          text={text}
          label={name(version)}
          before={against === undefined ? undefined : { text: before ?? "", label: name(against) }}
        />
      </Suspense>
      {against !== undefined && text === before && (
        <p role="status">The file is the same in both: something that it reads has changed.</p>
      )}
    </>
  );
}

function Choices({ dagId, version, against, onChoose }: Props) {
  const { data: versions } = useQuery(versionsQuery(dagId));
  const { zone } = useSettings();
  const all = versions?.dag_versions ?? [];
  const choices = all.map(({ version_number: number, created_at: at }) => (
    <option key={number} value={number}>
      Version {number}, {instant(at, zone)}
    </option>
  ));
  return (
    <Toolbar>
      <label>
        Show
        <select
          value={version ?? all[0]?.version_number ?? ""}
          onChange={({ target }) => {
            onChoose({ version: Number(target.value), against });
          }}
        >
          {choices}
        </select>
      </label>
      <label>
        beside
        <select
          value={against ?? ""}
          onChange={({ target }) => {
            onChoose({ version, against: target.value === "" ? undefined : Number(target.value) });
          }}
        >
          <option value="">nothing</option>
          {choices}
        </select>
      </label>
    </Toolbar>
  );
}
