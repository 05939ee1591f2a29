import { type Dispatch, useId } from "react";

import { Markdown } from "~/components/Markdown";
import { useSettings } from "~/lib/settings";

import { type ParamField, sectionsOf, textOf } from "./fields.model";
import type { FormChange, FormState } from "./form.model";
import styles from "./ParamFields.module.css";
import { equal } from "./schema.model";

interface Props {
  fields: readonly ParamField[];
  state: FormState;
  /** By field; shown beside it. */
  problems: Partial<Record<string, string>>;
  change: Dispatch<FormChange>;
}

/** The fields of params, by section. */
export function ParamFields({ fields, ...rest }: Props) {
  return sectionsOf(fields).map(([section, members]) =>
    section === "" ? (
      <div key="" className={styles.fields}>
        <Members {...rest} fields={members} />
      </div>
    ) : (
      <details key={section} className={styles.section} open>
        <summary>{section}</summary>
        <div className={styles.fields}>
          <Members {...rest} fields={members} />
        </div>
      </details>
    ),
  );
}

function Members({ fields, state, problems, change }: Props) {
  return fields.map((field) => (
    <Member key={field.name} field={field} state={state} problem={problems[field.name]} change={change} />
  ));
}

interface MemberProps {
  field: ParamField;
  state: FormState;
  problem: string | undefined;
  change: Dispatch<FormChange>;
}

function Member({ field, state, problem, change }: MemberProps) {
  const id = useId();
  const { zone } = useSettings();
  const given: Given = {
    id,
    "aria-describedby": `${id}-more`,
    "aria-invalid": problem !== undefined,
    "aria-required": field.isRequired,
  };
  return (
    <div className={styles.field} data-kind={field.kind}>
      <label htmlFor={id}>
        {field.title}
        {field.isRequired && field.kind !== "check" && (
          <span className={styles.required} aria-hidden="true">
            {" "}
            *
          </span>
        )}
      </label>
      <Input field={field} state={state} change={change} given={given} zone={zone} />
      <div id={`${id}-more`} className={styles.more}>
        {problem !== undefined && (
          <p className={styles.problem} role="alert">
            {problem}
          </p>
        )}
        {field.description && (field.isMarkdown ? <Markdown source={field.description} /> : <p>{field.description}</p>)}
        {field.kind === "lines" && <p>One value in a line.</p>}
        {field.kind === "date-time" && <p>In {zone}.</p>}
      </div>
    </div>
  );
}

interface Given {
  id: string;
  "aria-describedby": string;
  "aria-invalid": boolean;
  "aria-required": boolean;
}

interface InputProps {
  field: ParamField;
  state: FormState;
  change: Dispatch<FormChange>;
  given: Given;
  zone: string;
}

function Input({ field, state, change, given, zone }: InputProps) {
  const { name, kind } = field;
  const value = state.values[name];
  if (kind === "check") {
    return (
      <input
        id={given.id}
        aria-describedby={given["aria-describedby"]}
        aria-invalid={given["aria-invalid"]}
        type="checkbox"
        checked={value === true}
        onChange={({ target }) => {
          change({ kind: "value", name, value: target.checked });
        }}
      />
    );
  }
  if (kind === "choices") return <Choices field={field} state={state} change={change} given={given} zone={zone} />;
  const text = state.typed[name] ?? textOf(field, value, zone);
  const type = (typed: string) => {
    change({ kind: "text", field, text: typed, zone });
  };
  if (kind === "choice") return <Choice field={field} text={text} onChange={type} given={given} />;
  if (kind === "long text" || kind === "lines" || kind === "json") {
    return (
      <textarea
        {...given}
        rows={Math.min(12, Math.max(3, text.split("\n").length))}
        value={text}
        spellCheck={false}
        onChange={({ target }) => {
          type(target.value);
        }}
      />
    );
  }
  return (
    <>
      <input
        {...given}
        type={inputTypes[kind]}
        step={stepOf(field)}
        autoComplete="off"
        value={text}
        list={field.suggestions.length > 0 ? `${given.id}-list` : undefined}
        onChange={({ target }) => {
          type(target.value);
        }}
      />
      {field.suggestions.length > 0 && (
        <datalist id={`${given.id}-list`}>
          {field.suggestions.map((each) => (
            <option key={each} value={each} />
          ))}
        </datalist>
      )}
    </>
  );
}

const inputTypes = {
  text: "text",
  number: "number",
  date: "date",
  "date-time": "datetime-local",
  time: "time",
  any: "text",
};

function stepOf({ kind, schema }: ParamField): number | "any" | undefined {
  if (kind === "date-time" || kind === "time") return 1;
  if (kind !== "number") return undefined;
  return schema.type === "integer" ? 1 : "any";
}

interface ChoiceProps {
  field: ParamField;
  text: string;
  given: Given;
  onChange: (text: string) => void;
}

function Choice({ field, text, given, onChange }: ChoiceProps) {
  return (
    <select
      {...given}
      value={text}
      onChange={({ target }) => {
        onChange(target.value);
      }}
    >
      {text === "-1" && <option value="-1">Choose one</option>}
      {field.choices.map(({ label }, position) => (
        <option key={position} value={position}>
          {label}
        </option>
      ))}
    </select>
  );
}

function Choices({ field, state, change, given }: InputProps) {
  const chosen = Array.isArray(state.values[field.name]) ? (state.values[field.name] as unknown[]) : [];
  // What is chosen without being proposed stays so.
  const others = chosen.filter((value) => !field.choices.some((each) => equal(each.value, value)));
  return (
    <fieldset id={given.id} aria-describedby={given["aria-describedby"]} aria-label={field.title}>
      {field.choices.map(({ value, label }, position) => (
        <label key={position}>
          <input
            type="checkbox"
            checked={chosen.some((each) => equal(each, value))}
            onChange={({ target }) => {
              const kept = field.choices
                .map((each) => each.value)
                .filter((each) => (equal(each, value) ? target.checked : chosen.some((one) => equal(one, each))));
              change({ kind: "value", name: field.name, value: [...kept, ...others] });
            }}
          />
          {label}
        </label>
      ))}
    </fieldset>
  );
}
