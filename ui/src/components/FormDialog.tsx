import { useMutation } from "@tanstack/react-query";
import { type ReactNode, useEffect, useRef, useState } from "react";

import { Button } from "./Button";
import styles from "./FormDialog.module.css";

export interface Field {
  name: string;
  label: string;
  kind: "text" | "number" | "long text" | "password" | "check";
  isRequired?: boolean;
  isFixed?: boolean;
}

export type Values = Record<string, string | boolean>;

interface Props {
  title: string;
  fields: Field[];
  values: Values;
  deed: string;
  /** Something is lost by it. */
  isDangerous?: boolean;
  save: (values: Values) => Promise<unknown>;
  onClose: () => void;
  /** Between the title and the fields. */
  children?: ReactNode;
}

/** Asks for the values of a few fields. What the server finds wrong is said in the dialog. */
export function FormDialog({ title, fields, values, deed, isDangerous = false, save, onClose, children }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [current, setCurrent] = useState(values);
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  const saving = useMutation({ mutationFn: () => save(current), onSuccess: onClose });
  const change = (name: string, value: string | boolean) => {
    setCurrent((before) => ({ ...before, [name]: value }));
  };
  return (
    <dialog ref={dialog} className={styles.dialog} aria-label={title} onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          saving.mutate();
        }}
      >
        <h2>{title}</h2>
        {children}
        {fields.map((field) => (
          <label key={field.name} data-kind={field.kind}>
            {field.label}
            <Input
              field={field}
              value={current[field.name] ?? ""}
              onChange={(value) => {
                change(field.name, value);
              }}
            />
          </label>
        ))}
        {saving.error && <p role="alert">{saving.error.message}</p>}
        <div className={styles.buttons}>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind={isDangerous ? "danger" : "deed"} type="submit" disabled={saving.isPending}>
            {deed}
          </Button>
        </div>
      </form>
    </dialog>
  );
}

interface InputProps {
  field: Field;
  value: string | boolean;
  onChange: (value: string | boolean) => void;
}

function Input({ field, value, onChange }: InputProps) {
  const shared = { required: field.isRequired ?? false, readOnly: field.isFixed ?? false };
  if (field.kind === "check") {
    return (
      <input
        type="checkbox"
        checked={value === true}
        onChange={({ target }) => {
          onChange(target.checked);
        }}
      />
    );
  }
  const text = String(value);
  if (field.kind === "long text") {
    return (
      <textarea
        {...shared}
        rows={5}
        value={text}
        onChange={({ target }) => {
          onChange(target.value);
        }}
      />
    );
  }
  return (
    <input
      {...shared}
      type={field.kind}
      autoComplete={field.kind === "password" ? "new-password" : "off"}
      value={text}
      onChange={({ target }) => {
        onChange(target.value);
      }}
    />
  );
}
