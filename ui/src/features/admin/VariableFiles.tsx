import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { api, data } from "~/api/client";
import { Button } from "~/components/Button";
import { Dialog } from "~/components/Dialog";
import { saveFile } from "~/lib/saveFile";

import styles from "./Forms.module.css";
import { exported, imported, type Variable } from "./variables.model";

const atOnce = 100;

/** Variables to a file, and from one. */
export function VariableFiles() {
  const [isOpen, setOpen] = useState(false);
  const saving = useMutation({ mutationFn: save });
  return (
    <>
      <Button
        disabled={saving.isPending}
        title={saving.data && `Without ${saving.data.join(", ")}: their values are secret`}
        onClick={() => {
          saving.mutate();
        }}
      >
        Export
      </Button>
      <Button
        onClick={() => {
          setOpen(true);
        }}
      >
        Import
      </Button>
      {saving.data && saving.data.length > 0 && (
        <span role="status">
          {saving.data.length === 1 ? "1 secret was" : `${saving.data.length} secrets were`} left out.
        </span>
      )}
      {saving.error && <span role="alert">{saving.error.message}</span>}
      {isOpen && (
        <ImportDialog
          onClose={() => {
            setOpen(false);
          }}
        />
      )}
    </>
  );
}

/** The keys that the file does not have. */
async function save(): Promise<string[]> {
  const all: Variable[] = [];
  for (let total = 1; all.length < total;) {
    const query = { limit: atOnce, offset: all.length, order_by: ["key"] };
    const found = await data(api.GET("/api/v2/variables", { params: { query } }));
    if (found.variables.length === 0) break;
    total = found.total_entries;
    all.push(...found.variables);
  }
  const { text, leftOut } = exported(all);
  saveFile(new Blob([text], { type: "application/json" }), "variables.json");
  return leftOut;
}

const rules = { fail: "refuse the file", skip: "keep what is there", overwrite: "overwrite them" } as const;
type Rule = keyof typeof rules;

function ImportDialog({ onClose }: { onClose: () => void }) {
  const client = useQueryClient();
  const [file, setFile] = useState<File>();
  const [rule, setRule] = useState<Rule>("fail");
  const sending = useMutation({
    mutationFn: async () => {
      if (file === undefined) throw new Error("Choose a file first.");
      const entities = imported(await file.text());
      const answer = await data(
        api.PATCH("/api/v2/variables", {
          body: { actions: [{ action: "create", entities, action_on_existence: rule }] },
        }),
      );
      const errors = answer.create?.errors ?? [];
      if (errors.length > 0) throw new Error(errors.map((each) => String(each.error)).join("\n"));
      return answer.create?.success?.length ?? 0;
    },
    onSettled: () => client.invalidateQueries({ queryKey: ["variables"] }),
  });
  return (
    <Dialog
      title="Import variables"
      onSubmit={() => {
        sending.mutate();
      }}
      onClose={onClose}
      buttons={
        <>
          <Button onClick={onClose}>{sending.data === undefined ? "Cancel" : "Close"}</Button>
          <Button kind="deed" type="submit" disabled={sending.isPending}>
            Import
          </Button>
        </>
      }
    >
      <label className={styles.field}>
        File (JSON)
        <input
          type="file"
          accept="application/json,.json"
          onChange={({ target }) => {
            setFile(target.files?.[0]);
            sending.reset();
          }}
        />
      </label>
      <label className={styles.field}>
        Where there is such a key
        <select
          value={rule}
          onChange={({ target }) => {
            setRule(target.value as Rule);
          }}
        >
          {Object.entries(rules).map(([name, title]) => (
            <option key={name} value={name}>
              {title}
            </option>
          ))}
        </select>
      </label>
      {sending.error && <p role="alert">{sending.error.message}</p>}
      {sending.data !== undefined && (
        <p role="status">{sending.data === 1 ? "1 variable was" : `${sending.data} variables were`} imported.</p>
      )}
    </Dialog>
  );
}
