import { useMutation, useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { rolesQuery } from "~/api/around";
import { api, data, type Schemas } from "~/api/client";
import { Button } from "~/components/Button";
import { Dialog } from "~/components/Dialog";
import { FormDialog } from "~/components/FormDialog";

import type { DialogProps } from "./EditedTable";
import styles from "./Forms.module.css";

type User = Schemas["UserResponse"];

const texts = [
  ["first_name", "First name"],
  ["last_name", "Last name"],
  ["email", "Mail address"],
] as const;

interface Draft {
  username: string;
  password: string;
  first_name: string;
  last_name: string;
  email: string;
  is_active: boolean;
  roles: string[];
}

const somebody: Draft = {
  username: "",
  password: "",
  first_name: "",
  last_name: "",
  email: "",
  is_active: true,
  roles: ["Viewer"],
};

const draftOf = (user: User): Draft => ({ ...user, password: "", email: user.email ?? "" });

/** Adds or changes somebody. */
export function UserDialog({ row, onSaved, onClose }: DialogProps<User>) {
  const [draft, setDraft] = useState(() => (row === undefined ? somebody : draftOf(row)));
  const change = (next: Partial<Draft>) => {
    setDraft((before) => ({ ...before, ...next }));
  };
  const saving = useMutation({
    mutationFn: () => {
      const { username, password, first_name, last_name, is_active, roles } = draft;
      const body = { first_name, last_name, is_active, roles, email: draft.email || null };
      if (row === undefined)
        return data(api.POST("/auth/users", { body: { ...body, username, password: password || null } }));
      return data(api.PATCH("/auth/users/{username}", { params: { path: { username } }, body }));
    },
    onSuccess: async () => {
      await onSaved();
      onClose();
    },
  });
  return (
    <Dialog
      title={row === undefined ? "Add a user" : `Change ${row.username}`}
      onSubmit={() => {
        saving.mutate();
      }}
      onClose={onClose}
      buttons={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="deed" type="submit" disabled={saving.isPending}>
            {row === undefined ? "Add" : "Save"}
          </Button>
        </>
      }
    >
      <label className={styles.field}>
        User name
        <input
          required
          readOnly={row !== undefined}
          autoComplete="off"
          value={draft.username}
          onChange={({ target }) => {
            change({ username: target.value });
          }}
        />
      </label>
      {row === undefined && (
        <label className={styles.field}>
          Password
          <input
            type="password"
            autoComplete="new-password"
            value={draft.password}
            onChange={({ target }) => {
              change({ password: target.value });
            }}
          />
          <small>Without one they log in with the provider of [oidc], if there is one.</small>
        </label>
      )}
      {texts.map(([name, label]) => (
        <label key={name} className={styles.field}>
          {label}
          <input
            value={draft[name]}
            onChange={({ target }) => {
              change({ [name]: target.value });
            }}
          />
        </label>
      ))}
      <Roles
        chosen={draft.roles}
        onChange={(roles) => {
          change({ roles });
        }}
      />
      <label className={styles.check}>
        <input
          type="checkbox"
          checked={draft.is_active}
          onChange={({ target }) => {
            change({ is_active: target.checked });
          }}
        />
        May log in
      </label>
      {saving.error && <p role="alert">{saving.error.message}</p>}
    </Dialog>
  );
}

function Roles({ chosen, onChange }: { chosen: string[]; onChange: (roles: string[]) => void }) {
  const { data: roles = [] } = useQuery(rolesQuery);
  const names = [...new Set([...roles.map(({ name }) => name), ...chosen])];
  return (
    <fieldset className={styles.checks}>
      <legend>Roles</legend>
      {names.map((name) => (
        <label key={name} className={styles.check}>
          <input
            type="checkbox"
            checked={chosen.includes(name)}
            onChange={({ target }) => {
              onChange(target.checked ? [...chosen, name] : chosen.filter((each) => each !== name));
            }}
          />
          {name}
        </label>
      ))}
    </fieldset>
  );
}

/** A new password for somebody who has forgotten theirs. */
export function ResetPassword({ user, refresh }: { user: User; refresh: () => Promise<unknown> }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        aria-label={`New password for ${user.username}`}
        onClick={() => {
          setOpen(true);
        }}
      >
        Password
      </Button>
      {isOpen && (
        <FormDialog
          title={`New password for ${user.username}`}
          fields={[{ name: "password", label: "New password", kind: "password", isRequired: true }]}
          values={{ password: "" }}
          deed="Set"
          save={async ({ password }) => {
            const params = { path: { username: user.username } };
            await data(api.PATCH("/auth/users/{username}", { params, body: { password: String(password) } }));
            await refresh();
          }}
          onClose={() => {
            setOpen(false);
          }}
        >
          <p>Whoever logged in with the old one has to log in again.</p>
        </FormDialog>
      )}
    </>
  );
}
