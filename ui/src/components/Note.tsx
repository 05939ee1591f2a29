import { useMutation } from "@tanstack/react-query";
import { useId, useState } from "react";

import { Button } from "./Button";
import { Markdown } from "./Markdown";
import styles from "./Note.module.css";

interface Props {
  note: string | null;
  /** Why it cannot be changed by whoever looks; undefined: they may. */
  refusal: string | undefined;
  save: (note: string | null) => Promise<unknown>;
}

const longest = 1000;

/** What people had to say about a run or a task, and a way to say more. */
export function Note({ note, refusal, save }: Props) {
  const id = useId();
  const [typed, setTyped] = useState<string>();
  const saving = useMutation({
    mutationFn: (text: string) => save(text.trim() === "" ? null : text),
    onSuccess: () => {
      setTyped(undefined);
    },
  });
  if (typed === undefined) {
    return (
      <div className={styles.note} data-empty={note === null}>
        {note !== null && <Markdown source={note} />}
        <Button
          className={styles.edit}
          disabled={refusal !== undefined}
          title={refusal}
          onClick={() => {
            setTyped(note ?? "");
          }}
        >
          {note === null ? "Add a note" : "Change the note"}
        </Button>
      </div>
    );
  }
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        saving.mutate(typed);
      }}
    >
      <label htmlFor={id}>Note</label>
      <textarea
        id={id}
        rows={3}
        maxLength={longest}
        autoFocus
        value={typed}
        onChange={({ target }) => {
          setTyped(target.value);
        }}
      />
      {saving.error && <p role="alert">{saving.error.message}</p>}
      <div className={styles.buttons}>
        <Button
          onClick={() => {
            setTyped(undefined);
          }}
        >
          Cancel
        </Button>
        <Button kind="deed" type="submit" disabled={saving.isPending}>
          Save
        </Button>
      </div>
    </form>
  );
}
