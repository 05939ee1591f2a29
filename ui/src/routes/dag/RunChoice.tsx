import { stateName } from "~/lib/states";

interface Props {
  runs: { run_id: string; state: string }[];
  /** None: not known yet, or there is none. */
  run: string | undefined;
  onChoose: (run: string) => void;
}

/** Which run is shown; one that is older than those that were loaded stays among them. */
export function RunChoice({ runs, run, onChoose }: Props) {
  const newest = [...runs].reverse();
  return (
    <label>
      Run
      <select
        data-wide=""
        value={run ?? ""}
        disabled={run === undefined}
        onChange={({ target }) => {
          onChoose(target.value);
        }}
      >
        {run === undefined && <option value="">none yet</option>}
        {run !== undefined && !runs.some(({ run_id }) => run_id === run) && <option>{run}</option>}
        {newest.map(({ run_id, state }) => (
          <option key={run_id} value={run_id}>
            {run_id} ({stateName(state)})
          </option>
        ))}
      </select>
    </label>
  );
}
