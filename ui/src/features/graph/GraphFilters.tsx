import { useEffect, useRef } from "react";

import { Button } from "~/components/Button";
import { Toolbar } from "~/components/Toolbar";
import { stateName, taskStates } from "~/lib/states";
import { duration } from "~/lib/time";

import { type Around, countFilters, type GraphFilter } from "./filter.model";
import type { Node } from "./graph.model";

interface Props {
  id: string;
  filter: GraphFilter;
  /** All tasks and groups there are. */
  rows: Node[];
  /** How many tasks are left of how many. */
  counts: { shown: number; all: number };
  isChosen: boolean;
  /** Whether somebody has just asked for it. */
  takesFocus: boolean;
  onFilter: (filter: GraphFilter) => void;
}

const none: GraphFilter = {
  q: undefined,
  state: undefined,
  operator: undefined,
  group: undefined,
  took: undefined,
  copy: undefined,
  around: undefined,
  depth: undefined,
};

/** Which tasks are shown. */
export function GraphFilters({ id, filter, rows, counts, isChosen, takesFocus, onFilter }: Props) {
  const first = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (takesFocus) first.current?.focus();
  }, [takesFocus]);
  const operators = [...new Set(rows.flatMap(({ operator }) => operator ?? []))].sort();
  const groups = rows.filter(({ is_group }) => is_group).map(({ node_id }) => node_id);
  return (
    <div id={id} role="search" aria-label="Graph filters" data-compact="">
      <Toolbar>
        <input
          ref={first}
          type="search"
          aria-label="Task id"
          placeholder="Task id"
          size={12}
          value={filter.q ?? ""}
          onChange={({ target }) => {
            onFilter({ q: target.value || undefined });
          }}
        />
        <Choice
          title="State"
          value={filter.state}
          values={taskStates.map((state) => [state, stateName(state)])}
          onChoose={(state) => {
            onFilter({ state });
          }}
        />
        <Choice
          title="Operator"
          value={filter.operator}
          values={operators.map((operator) => [operator, operator])}
          onChoose={(operator) => {
            onFilter({ operator });
          }}
        />
        <Choice
          title="Group"
          value={filter.group}
          values={groups.map((group) => [group, group])}
          onChoose={(group) => {
            onFilter({ group });
          }}
        />
        <Choice
          title="Took"
          value={filter.took === undefined ? undefined : String(filter.took)}
          values={numbersWith(filter.took, usualDurations).map((seconds) => [
            String(seconds),
            `${duration(seconds)} or more`,
          ])}
          onChoose={(took) => {
            onFilter({ took: took === undefined ? undefined : Number(took) });
          }}
        />
        <Copy filter={filter} isMapped={rows.some(({ is_mapped }) => is_mapped)} onFilter={onFilter} />
        <Stream filter={filter} isChosen={isChosen} onFilter={onFilter} />
        <span role="status">
          {counts.shown} of {counts.all} tasks
        </span>
        {countFilters(filter) > 0 && (
          <Button
            onClick={() => {
              onFilter(none);
            }}
          >
            Show all
          </Button>
        )}
      </Toolbar>
    </div>
  );
}

/** Which copy of mapped tasks. */
function Copy({ filter, isMapped, onFilter }: Pick<Props, "filter" | "onFilter"> & { isMapped: boolean }) {
  return (
    <label title={isMapped ? "Mapped tasks that have a copy of this number" : "No task of this DAG is mapped"}>
      Copy
      <input
        inputMode="numeric"
        size={4}
        placeholder="any"
        disabled={!isMapped}
        value={filter.copy ?? ""}
        onChange={({ target }) => {
          const digits = target.value.replaceAll(/\D/g, "");
          onFilter({ copy: digits === "" ? undefined : Number(digits) });
        }}
      />
    </label>
  );
}

/** What is around the chosen task. */
function Stream({ filter, isChosen, onFilter }: Pick<Props, "filter" | "isChosen" | "onFilter">) {
  const hint = isChosen ? undefined : "Choose a task first";
  return (
    <>
      <label title={hint}>
        Show
        <select
          value={filter.around ?? ""}
          disabled={!isChosen}
          onChange={({ target }) => {
            onFilter({ around: target.value === "" ? undefined : (target.value as Around) });
          }}
        >
          <option value="">all tasks</option>
          <option value="upstream">upstream</option>
          <option value="downstream">downstream</option>
          <option value="both">up- and downstream</option>
        </select>
      </label>
      <label title={filter.around === undefined ? "Choose upstream or downstream first" : undefined}>
        Steps
        <select
          value={filter.depth ?? ""}
          disabled={!isChosen || filter.around === undefined}
          onChange={({ target }) => {
            onFilter({ depth: target.value === "" ? undefined : Number(target.value) });
          }}
        >
          <option value="">all</option>
          {numbersWith(filter.depth, usualDepths).map((depth) => (
            <option key={depth}>{depth}</option>
          ))}
        </select>
      </label>
    </>
  );
}

const usualDepths = [1, 2, 3, 5, 10];
const usualDurations = [1, 10, 60, 600, 3_600];

/** Those to choose from; one that the address names is among them. */
function numbersWith(chosen: number | undefined, usual: number[]): number[] {
  return chosen === undefined || usual.includes(chosen) ? usual : [...usual, chosen].sort((one, other) => one - other);
}

interface ChoiceProps {
  title: string;
  value: string | undefined;
  values: (readonly [string, string])[];
  onChoose: (value: string | undefined) => void;
}

function Choice({ title, value, values, onChoose }: ChoiceProps) {
  const isKnown = value === undefined || values.some(([each]) => each === value);
  return (
    <label>
      {title}
      <select
        value={value ?? ""}
        disabled={values.length === 0}
        onChange={({ target }) => {
          onChoose(target.value || undefined);
        }}
      >
        <option value="">any</option>
        {!isKnown && <option>{value}</option>}
        {values.map(([each, shown]) => (
          <option key={each} value={each}>
            {shown}
          </option>
        ))}
      </select>
    </label>
  );
}
