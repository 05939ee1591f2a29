import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useMemo, useReducer, useState } from "react";

import { dagDetailsQuery } from "~/api/instanceQueries";
import type { Schemas } from "~/api/client";
import { Button } from "~/components/Button";
import { Dialog } from "~/components/Dialog";
import { LazyJsonEditor } from "~/components/LazyJsonEditor";
import { Failed } from "~/components/Failed";
import { defaultsOf, fieldsOf } from "~/components/params/fields.model";
import { begin, changed, jsonOf, wrongIn } from "~/components/params/form.model";
import { ParamFields } from "~/components/params/ParamFields";
import { Skeleton } from "~/components/Skeleton";
import { Tabs } from "~/components/Tabs";
import { useSettings } from "~/lib/settings";

import { RunFields } from "./RunFields";
import { requestOf, type RunOptions, wrongInterval } from "./run_request.model";
import { trigger } from "./trigger";

interface Props {
  dagId: string;
  onClose: () => void;
}

/** Asks for a run, with a form made of the DAG's params. */
export function TriggerDialog({ dagId, onClose }: Props) {
  const { data: dag, error } = useQuery({ ...dagDetailsQuery(dagId), staleTime: 0 });
  if (dag === undefined) {
    return (
      <Dialog
        title={`Trigger ${dagId}`}
        onClose={onClose}

        buttons={<Button onClick={onClose}>Close</Button>}
        isWide
      >
        {error ? <Failed title="The DAG's params could not be loaded" error={error} /> : <Skeleton />}
      </Dialog>
    );
  }
  return <Form dag={dag} onClose={onClose} />;
}

function Form({ dag, onClose }: { dag: Schemas["DAGDetailsResponse"]; onClose: () => void }) {
  const { dag_id: dagId } = dag;
  const navigate = useNavigate();
  const client = useQueryClient();
  const { zone } = useSettings();
  // What the form began with stays so, whatever is parsed meanwhile.
  const [params] = useState(() => dag.params ?? {});
  const fields = useMemo(() => fieldsOf(params), [params]);
  const [state, change] = useReducer(changed, undefined, () => begin(defaultsOf(params)));
  const [tab, setTab] = useState<"form" | "json">(fields.length > 0 ? "form" : "json");
  const [isTried, setTried] = useState(false);
  const [options, setOptions] = useState<RunOptions>({
    logicalDate: "",
    from: "",
    to: "",
    runAfter: "",
    partitionKey: "",
    runId: "",
    note: "",
    unpauses: dag.is_paused,
  });
  const problems = wrongIn(state, fields);
  const hasParamProblems = state.jsonProblem !== undefined || Object.keys(problems).length > 0;
  const intervalProblem = wrongInterval(options);
  const hasProblems = hasParamProblems || intervalProblem !== undefined;
  const triggering = useMutation({
    mutationFn: () => trigger(dagId, requestOf(state.values, options, zone), dag.is_paused && options.unpauses),
    onSuccess: async (run) => {
      onClose();
      await Promise.all(["grid", "dag", "dags"].map((name) => client.invalidateQueries({ queryKey: [name] })));
      await navigate({ to: "/dags/$dagId", params: { dagId }, search: { run: run.dag_run_id } });
    },
  });
  return (
    <Dialog
      isWide
      title={`Trigger ${dag.dag_display_name}`}
      onClose={onClose}
      onSubmit={() => {
        setTried(true);
        if (hasParamProblems) setTab(state.jsonProblem === undefined ? "form" : "json");
        if (!hasProblems) triggering.mutate();
      }}
      buttons={
        <>
          {isTried && hasProblems && (
            <span role="alert">{hasParamProblems ? summary(problems, state.jsonProblem) : intervalProblem}</span>
          )}
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="deed" type="submit" disabled={triggering.isPending}>
            Trigger
          </Button>
        </>
      }
    >
      {triggering.error && <p role="alert">{triggering.error.message}</p>}
      {fields.length > 0 && (
        <Tabs
          label="Params"
          tabs={[
            ["form", "Form"],
            ["json", "JSON"],
          ]}
          chosen={tab}
          onChoose={setTab}
        />
      )}
      {tab === "form" ? (
        <ParamFields fields={fields} state={state} problems={isTried ? problems : {}} change={change} />
      ) : (
        <LazyJsonEditor
          label="Configuration (JSON)"
          text={jsonOf(state)}
          onChange={(text) => {
            change({ kind: "json", text });
          }}
        />
      )}
      <RunFields dag={dag} options={options} onChange={setOptions} />
    </Dialog>
  );
}

function summary(problems: Partial<Record<string, string>>, jsonProblem: string | undefined): string {
  if (jsonProblem !== undefined) return jsonProblem;
  const count = Object.keys(problems).length;
  return count === 1 ? "One field needs another value" : `${count} fields need other values`;
}
