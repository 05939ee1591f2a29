import { useMutation } from "@tanstack/react-query";
import { useId, useState } from "react";

import { api, data } from "~/api/client";
import { Button } from "~/components/Button";
import { Dialog } from "~/components/Dialog";

import {
  bodyOf,
  type Connection,
  connectionTypes,
  type Draft,
  draftOf,
  type Extra,
  extraOf,
  maskOf,
  type Plain,
  plainFields,
  problemOf,
  shownExtra,
  typeOf,
  withExtra,
} from "./connection.model";
import type { DialogProps } from "./EditedTable";
import styles from "./Forms.module.css";

/** Adds or changes a connection, with the fields that matter for its type. It can be tried out before it is saved. */
export function ConnectionDialog({ row, onSaved, onClose }: DialogProps<Connection>) {
  const [draft, setDraft] = useState(() => draftOf(row));
  const saving = useMutation({
    mutationFn: async () => {
      check(draft);
      const body = bodyOf(draft);
      if (row === undefined) return data(api.POST("/api/v2/connections", { body }));
      const params = { path: { connection_id: row.connection_id }, query: { update_mask: maskOf(draft) } };
      return data(api.PATCH("/api/v2/connections/{connection_id}", { params, body }));
    },
    onSuccess: async () => {
      await onSaved();
      onClose();
    },
  });
  const trying = useMutation({
    mutationFn: () => {
      check(draft);
      return data(api.POST("/api/v2/connections/test", { body: bodyOf(draft) }));
    },
  });
  const change = (next: Partial<Draft>) => {
    setDraft((before) => ({ ...before, ...next }));
    trying.reset();
  };
  return (
    <Dialog
      title={row === undefined ? "Add a connection" : `Change ${row.connection_id}`}
      onSubmit={() => {
        saving.mutate();
      }}
      onClose={onClose}
      buttons={
        <>
          <Button
            className={styles.left}
            disabled={trying.isPending}
            onClick={() => {
              trying.mutate();
            }}
          >
            {trying.isPending ? "Testing…" : "Test"}
          </Button>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="deed" type="submit" disabled={saving.isPending}>
            {row === undefined ? "Add" : "Save"}
          </Button>
        </>
      }
    >
      <Names draft={draft} isNew={row === undefined} onChange={change} />
      <Fields draft={draft} isNew={row === undefined} onChange={change} />
      {saving.error && <p role="alert">{saving.error.message}</p>}
      {trying.error && <p role="alert">{trying.error.message}</p>}
      {trying.data && (
        <p role="status" className={styles.result} data-works={trying.data.status}>
          {trying.data.status ? "It works. " : "It does not work. "}
          {trying.data.message}
        </p>
      )}
    </Dialog>
  );
}

function check(draft: Draft): void {
  const problem = problemOf(draft);
  if (problem !== undefined) throw new Error(problem);
}

interface PartProps {
  draft: Draft;
  isNew: boolean;
  onChange: (next: Partial<Draft>) => void;
}

function Names({ draft, isNew, onChange }: PartProps) {
  const types = useId();
  return (
    <>
      <div className={styles.pair}>
        <label className={styles.field}>
          Name
          <input
            required
            readOnly={!isNew}
            value={draft.connection_id}
            onChange={({ target }) => {
              onChange({ connection_id: target.value });
            }}
          />
        </label>
        <label className={styles.field}>
          Type
          <input
            required
            list={types}
            value={draft.conn_type}
            onChange={({ target }) => {
              onChange({ conn_type: target.value });
            }}
          />
          <datalist id={types}>
            {Object.entries(connectionTypes).map(([name, { title }]) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
          </datalist>
        </label>
      </div>
      <label className={styles.field}>
        Description
        <input
          value={draft.description}
          onChange={({ target }) => {
            onChange({ description: target.value });
          }}
        />
      </label>
    </>
  );
}

function Fields({ draft, isNew, onChange }: PartProps) {
  const { extra = [], port } = typeOf(draft.conn_type);
  const isBroken = extraOf(draft.extra) === undefined;
  const setPlain = (name: Plain, value: string) => {
    onChange({ plain: { ...draft.plain, [name]: value } });
  };
  return (
    <>
      <div className={styles.pair}>
        {plainFields(draft).map(([name, label]) => (
          <label key={name} className={styles.field}>
            {name === "password" && !isNew ? `${label} (empty: as it is)` : label}
            <input
              type={name === "password" ? "password" : "text"}
              inputMode={name === "port" ? "numeric" : undefined}
              autoComplete={name === "password" ? "new-password" : "off"}
              placeholder={name === "port" && port !== undefined ? String(port) : undefined}
              value={draft.plain[name]}
              onChange={({ target }) => {
                setPlain(name, target.value);
              }}
            />
          </label>
        ))}
        {extra.map((field) => (
          <ExtraField
            key={field.key}
            field={field}
            value={shownExtra(draft.extra, field.key)}
            isDisabled={isBroken}
            onChange={(value) => {
              onChange({ extra: withExtra(draft.extra, field.key, value, field.kind) });
            }}
          />
        ))}
      </div>
      <label className={styles.field}>
        Extra (JSON)
        <textarea
          rows={4}
          spellCheck={false}
          aria-invalid={isBroken}
          value={draft.extra}
          onChange={({ target }) => {
            onChange({ extra: target.value });
          }}
        />
      </label>
    </>
  );
}

interface ExtraProps {
  field: Extra;
  value: string;
  isDisabled: boolean;
  onChange: (value: string | boolean) => void;
}

function ExtraField({ field: { label, kind = "text" }, value, isDisabled, onChange }: ExtraProps) {
  if (kind === "check") {
    return (
      <label className={styles.check}>
        <input
          type="checkbox"
          disabled={isDisabled}
          checked={value === "true"}
          onChange={({ target }) => {
            onChange(target.checked);
          }}
        />
        {label}
      </label>
    );
  }
  return (
    <label className={styles.field}>
      {label}
      <input
        type={kind === "secret" ? "password" : "text"}
        inputMode={kind === "number" ? "numeric" : undefined}
        autoComplete="off"
        disabled={isDisabled}
        value={value}
        onChange={({ target }) => {
          onChange(target.value);
        }}
      />
    </label>
  );
}
