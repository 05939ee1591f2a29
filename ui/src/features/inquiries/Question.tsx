import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo, useReducer, useState } from "react";

import { api, data } from "~/api/client";
import { useMay } from "~/api/permissions";
import { meQuery } from "~/api/queries";
import { Button } from "~/components/Button";
import { Facts } from "~/components/Facts";
import { JsonView } from "~/components/JsonView";
import { Markdown } from "~/components/Markdown";
import { Moment } from "~/components/Moment";
import { defaultsOf, fieldsOf, type Values } from "~/components/params/fields.model";
import { begin, changed, type FormState, wrongIn } from "~/components/params/form.model";
import { ParamFields } from "~/components/params/ParamFields";

import { answeredBy, type Inquiry, isOpen, type Prefilled, refusalFor, toggled } from "./inquiry.model";
import styles from "./Question.module.css";

interface Props {
  inquiry: Inquiry;
  prefill?: Prefilled | undefined;
  onAnswered?: (() => void) | undefined;
}

/** What a task asks, and a form to answer it; or the answer. */
export function Question({ inquiry, prefill, onAnswered }: Props) {
  const { assigned_users: assigned = [] } = inquiry;
  return (
    <section className={styles.question} aria-label="Question">
      <h3>{inquiry.subject}</h3>
      {inquiry.body && <Markdown source={inquiry.body} />}
      <Facts
        facts={[
          ["Asked", <Moment key="at" at={inquiry.created_at} exact />],
          ["For", assigned.map(({ name }) => name).join(", ")],
          ["If nobody answers in time", inquiry.defaults?.join(", ")],
        ]}
      />
      {isOpen(inquiry) ? (
        <AnswerForm inquiry={inquiry} prefill={prefill} onAnswered={onAnswered} />
      ) : (
        <Answer inquiry={inquiry} />
      )}
    </section>
  );
}

function Answer({ inquiry }: { inquiry: Inquiry }) {
  if (!inquiry.response_received) return <p>It was not answered, and the task does not wait for an answer any more.</p>;
  const given = inquiry.params_input ?? {};
  return (
    <Facts
      isTable
      facts={[
        ["Answer", inquiry.chosen_options?.join(", ")],
        ["Values", Object.keys(given).length > 0 && <JsonView value={given} />],
        ["By", answeredBy(inquiry)],
        ["At", inquiry.responded_at && <Moment at={inquiry.responded_at} exact />],
      ]}
    />
  );
}

function AnswerForm({ inquiry, prefill, onAnswered }: Props) {
  const refusal = useRefusal(inquiry);
  const fields = useMemo(() => fieldsOf(inquiry.params ?? {}), [inquiry.params]);
  const [state, change] = useReducer(changed, undefined, () => filledIn(inquiry, prefill));
  const [chosen, setChosen] = useState<string[]>(prefill?.options ?? []);
  const [isTried, setTried] = useState(false);
  const problems = wrongIn(state, fields);
  const answering = useAnswering(inquiry, state.values, onAnswered);
  const answer = (options: string[]) => {
    setTried(true);
    if (Object.keys(problems).length === 0 && options.length > 0) answering.mutate(options);
  };
  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        if (inquiry.multiple) answer(chosen);
      }}
    >
      <fieldset className={styles.form} disabled={refusal !== undefined || answering.isPending}>
        <ParamFields fields={fields} state={state} problems={isTried ? problems : {}} change={change} />
        {inquiry.multiple ? (
          <Several inquiry={inquiry} chosen={chosen} onChange={setChosen} />
        ) : (
          <One inquiry={inquiry} proposed={chosen} onAnswer={answer} />
        )}
      </fieldset>
      {isTried && inquiry.multiple && chosen.length === 0 && <p role="alert">Choose at least one.</p>}
      {refusal && <p className={styles.refusal}>{refusal}</p>}
      {answering.error && <p role="alert">{answering.error.message}</p>}
    </form>
  );
}

function filledIn({ params = {} }: Inquiry, prefill: Prefilled | undefined): FormState {
  return begin({ ...defaultsOf(params), ...prefill?.params });
}

/** Why whoever looks may not answer. */
function useRefusal(inquiry: Inquiry): string | undefined {
  const { data: me } = useQuery(meQuery);
  const { reason } = useMay()("edit", "DAG", inquiry.task_instance.dag_id);
  return reason ?? refusalFor(inquiry, me?.username);
}

function useAnswering(inquiry: Inquiry, values: Values, onAnswered: Props["onAnswered"]) {
  const { dag_id: dagId, dag_run_id: runId, task_id: taskId, map_index: mapIndex } = inquiry.task_instance;
  const client = useQueryClient();
  return useMutation({
    mutationFn: (options: string[]) =>
      data(
        api.PATCH("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/taskInstances/{task_id}/{map_index}/hitlDetails", {
          params: { path: { dag_id: dagId, dag_run_id: runId, task_id: taskId, map_index: mapIndex } },
          body: { chosen_options: options, params_input: values },
        }),
      ),
    onSuccess: () => onAnswered?.(),
    onSettled: () =>
      Promise.all([
        client.invalidateQueries({ queryKey: ["task", dagId, runId, taskId] }),
        client.invalidateQueries({ queryKey: ["required-actions"] }),
      ]),
  });
}

interface OneProps {
  inquiry: Inquiry;
  proposed: string[];
  onAnswer: (options: string[]) => void;
}

function One({ inquiry, proposed, onAnswer }: OneProps) {
  return (
    <div className={styles.options} role="group" aria-label="Answer">
      {inquiry.options.map((option) => (
        <Button
          key={option}
          kind={proposed.includes(option) ? "deed" : "plain"}
          onClick={() => {
            onAnswer([option]);
          }}
        >
          {option}
        </Button>
      ))}
    </div>
  );
}

interface SeveralProps {
  inquiry: Inquiry;
  chosen: string[];
  onChange: (chosen: string[]) => void;
}

function Several({ inquiry, chosen, onChange }: SeveralProps) {
  return (
    <>
      <div className={styles.options} role="group" aria-label="Answer">
        {inquiry.options.map((option) => (
          <label key={option}>
            <input
              type="checkbox"
              checked={chosen.includes(option)}
              onChange={() => {
                onChange(toggled(inquiry, chosen, option));
              }}
            />
            {option}
          </label>
        ))}
      </div>
      <div>
        <Button kind="deed" type="submit">
          Answer
        </Button>
      </div>
    </>
  );
}
