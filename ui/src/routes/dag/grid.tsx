import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useId, useState } from "react";

import { gridQuery } from "~/api/queries";
import { Button } from "~/components/Button";
import { Toolbar } from "~/components/Toolbar";
import { Filters } from "~/features/browse/Filters";
import { Grid } from "~/features/grid/Grid";
import { betweenDays, runStates, runTypes } from "~/features/runs/runs.model";
import { useSettings } from "~/lib/settings";
import { stateName } from "~/lib/states";

import { countRunFilters, type DagSearch, gridParameters } from "./search.model";
import { Split, useSelection, usualRuns } from "./Split";

export function GridView() {
  const { dagId, run, task, group, num, select } = useSelection();
  const search = useSearch({ from: "/dags/$dagId" });
  const { zone } = useSettings();
  const navigate = useNavigate();
  const wanted = gridParameters(search, num, betweenDays(search, zone));
  const change = (next: DagSearch) => {
    void navigate({ to: ".", search: (before) => ({ ...before, ...next }), replace: true });
  };
  return (
    <Split>
      <GridTools dagId={dagId} num={num} search={search} wanted={wanted} onChange={change} />
      <Grid dagId={dagId} wanted={wanted} search={search.q ?? ""} selected={{ run, task, group }} onSelect={select} />
    </Split>
  );
}

interface Props {
  dagId: string;
  num: number;
  search: DagSearch;
  wanted: ReturnType<typeof gridParameters>;
  onChange: (next: DagSearch) => void;
}

/** Which runs and tasks the grid shows. */
function GridTools({ dagId, num, search, wanted, onChange }: Props) {
  const number = countRunFilters(search);
  const [isOpen, setOpen] = useState(number > 0);
  const id = useId();
  return (
    <>
      <Toolbar>
        <input
          type="search"
          aria-label="Find tasks"
          placeholder="Find tasks"
          size={12}
          value={search.q ?? ""}
          onChange={({ target }) => {
            onChange({ q: target.value || undefined });
          }}
        />
        <Button
          aria-expanded={isOpen}
          aria-controls={isOpen ? id : undefined}
          onClick={() => {
            setOpen(!isOpen);
          }}
        >
          {number === 0 ? "Filters" : `Filters (${number})`}
        </Button>
        <RunPages dagId={dagId} num={num} before={search.before} wanted={wanted} onChange={onChange} />
      </Toolbar>
      {isOpen && (
        <div id={id} data-compact="">
          <Filters
            label="Runs of the grid"
            search={search}
            texts={[["user", "Triggered by"]]}
            choices={[
              { name: "state", title: "State", values: runStates.map((each) => [each, stateName(each)]) },
              { name: "type", title: "Type", values: runTypes.map((each) => [each, each.replaceAll("_", " ")]) },
            ]}
            onChange={(next) => {
              // Of other runs, the newest first.
              onChange({ ...next, before: undefined });
            }}
          />
        </div>
      )}
    </>
  );
}

const numbers = [10, 30, 100, 365];

/** How many runs at once, and the way to older ones and back. */
function RunPages({ dagId, num, before, wanted, onChange }: Omit<Props, "search"> & { before: string | undefined }) {
  const { data } = useQuery(gridQuery(dagId, wanted));
  const choices = numbers.includes(num) ? numbers : [...numbers, num].sort((one, other) => one - other);
  return (
    <>
      <label data-push="">
        Runs
        <select
          value={num}
          onChange={({ target }) => {
            const next = Number(target.value);
            onChange({ num: next === usualRuns ? undefined : next });
          }}
        >
          {choices.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </label>
      <Button
        aria-label="Older runs"
        title="Older runs"
        disabled={data?.older == null}
        onClick={() => {
          onChange({ before: data?.older ?? undefined });
        }}
      >
        ‹
      </Button>
      <Button
        aria-label="Newer runs"
        title="Newer runs"
        disabled={!data?.has_newer && before === undefined}
        onClick={() => {
          onChange({ before: data?.newer ?? undefined });
        }}
      >
        ›
      </Button>
    </>
  );
}
