import { useNavigate } from "@tanstack/react-router";

import { Toolbar } from "~/components/Toolbar";
import { Grid } from "~/features/grid/Grid";

import { Split, useSelection, usualRuns } from "./Split";

const numbers = [10, 30, 100, 365];

export function GridView() {
  const { dagId, run, task, num, select } = useSelection();
  const navigate = useNavigate();
  const choices = numbers.includes(num) ? numbers : [...numbers, num].sort((one, other) => one - other);
  return (
    <Split>
      <Toolbar>
        <label>
          Runs
          <select
            value={num}
            onChange={({ target }) => {
              const next = Number(target.value);
              void navigate({
                to: ".",
                search: (before) => ({ ...before, num: next === usualRuns ? undefined : next }),
                replace: true,
              });
            }}
          >
            {choices.map((each) => (
              <option key={each}>{each}</option>
            ))}
          </select>
        </label>
      </Toolbar>
      <Grid dagId={dagId} most={num} selected={{ run, task }} onSelect={select} />
    </Split>
  );
}
