import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";

import styles from "~/components/Rows.module.css";
import { Filters } from "~/features/browse/Filters";
import { RunActions } from "~/features/runs/RunActions";
import { RunTable } from "~/features/runs/RunTable";
import { betweenDays, counted, runStates, runTypes, toggled } from "~/features/runs/runs.model";
import { useSettings } from "~/lib/settings";
import { stateName } from "~/lib/states";

export function RunsView() {
  const { dagId } = useParams({ from: "/dags/$dagId" });
  const { state, type, id, from, to } = useSearch({ from: "/dags/$dagId" });
  const navigate = useNavigate();
  const { zone } = useSettings();
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const ids = [...chosen];
  return (
    <>
      <Filters
        label="Runs"
        search={{ state, type, id, from, to }}
        texts={[["id", "Run id"]]}
        choices={[
          { name: "state", title: "State", values: runStates.map((each) => [each, stateName(each)]) },
          { name: "type", title: "Type", values: runTypes.map((each) => [each, each.replaceAll("_", " ")]) },
        ]}
        onChange={(next) => {
          void navigate({ to: ".", search: (before) => ({ ...before, ...next }), replace: true });
        }}
      />
      <div className={styles.chosen}>
        <span>
          {chosen.size === 0 ? "Choose runs to do something to them." : `${counted(chosen.size, "run")} chosen`}
        </span>
        <RunActions
          dagId={dagId}
          chosen={ids}
          onDone={() => {
            setChosen(new Set());
          }}
        />
        {ids.length === 2 && (
          <Link to="/dags/$dagId/compare" params={{ dagId }} search={{ left: ids[0], right: ids[1] }}>
            Compare the two
          </Link>
        )}
      </div>
      <RunTable
        dagId={dagId}
        filter={{ state, type, id, ...betweenDays({ from, to }, zone) }}
        chosen={chosen}
        onChoose={(runId) => {
          setChosen((before) => toggled(before, runId));
        }}
        link={(runId) => (
          <Link to="/dags/$dagId" params={{ dagId }} search={{ run: runId }}>
            {runId}
          </Link>
        )}
      />
    </>
  );
}
