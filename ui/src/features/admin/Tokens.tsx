import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { api, data } from "~/api/client";
import { meQuery } from "~/api/queries";
import { Button } from "~/components/Button";
import { Card } from "~/components/Card";
import { Dialog } from "~/components/Dialog";
import { Moment } from "~/components/Moment";

import styles from "./Forms.module.css";
import tableStyles from "./Tokens.module.css";

const tokensKey = ["api-tokens"];

/** Tokens that somebody makes for their programs. A token is shown once. */
export function Tokens() {
  const client = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const {
    data: tokens,
    error,
    isPending,
  } = useQuery({ queryKey: tokensKey, queryFn: async () => (await data(api.GET("/auth/api-tokens"))).api_tokens });
  const refresh = () => client.invalidateQueries({ queryKey: tokensKey });
  const removal = useMutation({
    mutationFn: (id: number) => api.DELETE("/auth/api-tokens/{token_id}", { params: { path: { token_id: id } } }),
    onSettled: refresh,
  });
  return (
    <Card
      title="API tokens"
      error={error ?? removal.error}
      isLoading={isPending}
      more={
        <Button
          onClick={() => {
            setOpen(true);
          }}
        >
          Make a token
        </Button>
      }
      empty={tokens?.length === 0 && !isOpen && "Programs send one as a bearer token. You have made none yet."}
    >
      <ul className={tableStyles.tokens}>
        {tokens?.map((token) => (
          <li key={token.id}>
            <strong>{token.name}</strong>
            <span>{token.role ?? "all my roles"}</span>
            <span>
              made <Moment at={token.created_at} />
            </span>
            <span>
              {token.expires_at === null ? (
                "does not expire"
              ) : (
                <>
                  expires <Moment at={token.expires_at} />
                </>
              )}
            </span>
            <Button
              aria-label={`Delete ${token.name}`}
              onClick={() => {
                removal.mutate(token.id);
              }}
            >
              Delete
            </Button>
          </li>
        ))}
      </ul>
      {isOpen && (
        <TokenDialog
          onMade={refresh}
          onClose={() => {
            setOpen(false);
          }}
        />
      )}
    </Card>
  );
}

const spans: [label: string, days: number | null][] = [
  ["7 days", 7],
  ["30 days", 30],
  ["90 days", 90],
  ["1 year", 365],
  ["does not expire", null],
];

function TokenDialog({ onMade, onClose }: { onMade: () => Promise<unknown>; onClose: () => void }) {
  const { data: me } = useQuery(meQuery);
  const [name, setName] = useState("");
  const [span, setSpan] = useState(2);
  const [role, setRole] = useState("");
  const making = useMutation({
    mutationFn: () => {
      const [, days] = spans[span] ?? ["", 90];
      return data(api.POST("/auth/api-tokens", { body: { name, expires_in_days: days, role: role || null } }));
    },
    onSuccess: onMade,
  });
  if (making.data) {
    return (
      <Dialog
        title={`The token ${making.data.name}`}
        onSubmit={onClose}
        onClose={onClose}
        buttons={
          <Button kind="deed" type="submit">
            I have copied it
          </Button>
        }
      >
        <p>It is shown this once. Whoever has it may do what you may.</p>
        <code className={styles.secret}>{making.data.access_token}</code>
      </Dialog>
    );
  }
  return (
    <Dialog
      title="Make a token"
      onSubmit={() => {
        making.mutate();
      }}
      onClose={onClose}
      buttons={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="deed" type="submit" disabled={making.isPending}>
            Make it
          </Button>
        </>
      }
    >
      <label className={styles.field}>
        Name
        <input
          required
          value={name}
          onChange={({ target }) => {
            setName(target.value);
          }}
        />
      </label>
      <label className={styles.field}>
        Expires after
        <select
          value={span}
          onChange={({ target }) => {
            setSpan(Number(target.value));
          }}
        >
          {spans.map(([label], position) => (
            <option key={label} value={position}>
              {label}
            </option>
          ))}
        </select>
      </label>
      <label className={styles.field}>
        Role
        <select
          value={role}
          onChange={({ target }) => {
            setRole(target.value);
          }}
        >
          <option value="">all my roles</option>
          {me?.roles.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </label>
      {making.error && <p role="alert">{making.error.message}</p>}
    </Dialog>
  );
}
