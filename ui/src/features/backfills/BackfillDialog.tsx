import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { api, data } from "~/api/client";
import { Button } from "~/components/Button";
import { Dialog } from "~/components/Dialog";
import { useSettings } from "~/lib/settings";

import { asked, nothingWanted, reprocessWords, runName, versionWords, type Wanted } from "./backfills.model";
import styles from "./Backfills.module.css";

const shown = 100;

/** Asks for a backfill, and says beforehand which runs it would make. */
export function BackfillDialog({ dagId, onClose }: { dagId: string; onClose: () => void }) {
  const { zone } = useSettings();
  const client = useQueryClient();
  const [wanted, setWanted] = useState<Wanted>(nothingWanted);
  const change = (part: Partial<Wanted>) => {
    setWanted((before) => ({ ...before, ...part }));
  };
  const body = asked(dagId, wanted, zone);
  const isRight = !("problem" in body);
  const dry = useQuery({
    queryKey: ["would-backfill", body],
    queryFn: () =>
      data(api.POST("/api/v2/backfills/dry_run", { body: body as Exclude<typeof body, { problem: string }> })),
    enabled: isRight,
    staleTime: 0,
    retry: false,
    placeholderData: keepPreviousData,
  });
  const start = useMutation({
    mutationFn: async () => {
      if ("problem" in body) throw new Error(body.problem);
      return data(api.POST("/api/v2/backfills", { body }));
    },
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: ["backfills", dagId] });
      onClose();
    },
  });
  const number = isRight ? dry.data?.total_entries : undefined;
  const problem = start.error ?? (isRight ? dry.error : null);
  return (
    <Dialog
      title={`Backfill ${dagId}`}
      onClose={onClose}
      onSubmit={() => {
        start.mutate();
      }}
      buttons={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="deed" type="submit" disabled={!isRight || start.isPending || !number}>
            {number === undefined ? "Start" : `Start ${number} ${number === 1 ? "run" : "runs"}`}
          </Button>
        </>
      }
    >
      <Fields wanted={wanted} zone={zone} onChange={change} />
      {"problem" in body ? (
        <p className={styles.hint}>{body.problem}</p>
      ) : (
        <DryRun runs={dry.data?.backfills.map((run) => runName(run, zone))} />
      )}
      {problem && <p role="alert">{problem.message}</p>}
    </Dialog>
  );
}

interface FieldsProps {
  wanted: Wanted;
  zone: string;
  onChange: (part: Partial<Wanted>) => void;
}

function Fields({ wanted, zone, onChange }: FieldsProps) {
  return (
    <div className={styles.fields}>
      {(["from", "to"] as const).map((name) => (
        <label key={name}>
          {name === "from" ? "From" : "To"} ({zone})
          <input
            type="datetime-local"
            value={wanted[name]}
            onChange={({ target }) => {
              onChange({ [name]: target.value });
            }}
          />
        </label>
      ))}
      <label>
        Runs at once
        <input
          type="number"
          min={1}
          value={wanted.most}
          onChange={({ target }) => {
            onChange({ most: target.value });
          }}
        />
      </label>
      <label>
        Runs that are there already
        <select
          value={wanted.reprocess}
          onChange={({ target }) => {
            onChange({ reprocess: target.value as Wanted["reprocess"] });
          }}
        >
          {Object.entries(reprocessWords).map(([name, words]) => (
            <option key={name} value={name}>
              {words}
            </option>
          ))}
        </select>
      </label>
      <label data-wide="">
        Version of the DAG
        <select
          value={wanted.version}
          onChange={({ target }) => {
            onChange({ version: target.value as Wanted["version"] });
          }}
        >
          {Object.entries(versionWords).map(([name, words]) => (
            <option key={name} value={name}>
              {words}
            </option>
          ))}
        </select>
      </label>
      <label data-wide="">
        Configuration (JSON)
        <textarea
          rows={2}
          placeholder="Left empty, runs that start over keep theirs"
          value={wanted.conf}
          onChange={({ target }) => {
            onChange({ conf: target.value });
          }}
        />
      </label>
      <label data-kind="check">
        <input
          type="checkbox"
          checked={wanted.isBackwards}
          onChange={({ target }) => {
            onChange({ isBackwards: target.checked });
          }}
        />
        The newest first
      </label>
    </div>
  );
}

function DryRun({ runs }: { runs: string[] | undefined }) {
  if (runs === undefined) return <p className={styles.hint}>Asking which runs that would be…</p>;
  if (runs.length === 0)
    return <p className={styles.hint}>No run would be made: there is nothing to do in this range.</p>;
  return (
    <>
      <p className={styles.hint}>Runs that would be made or run again, in this order:</p>
      <ol className={styles.dates} aria-label="Dry run" tabIndex={0}>
        {runs.slice(0, shown).map((name, number) => (
          <li key={number}>{name}</li>
        ))}
      </ol>
      {runs.length > shown && <p className={styles.hint}>… and {runs.length - shown} more.</p>}
    </>
  );
}
