import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { Button } from "~/components/Button";
import { Dialog } from "~/components/Dialog";

import { AffectedList } from "./AffectedList";
import { mark, previewMark } from "./ask";
import { type Mark, nameOf, nowhere, type Reach, type Target } from "./clear.model";
import { forget } from "./forget";
import { NoteField, Options } from "./Options";

const reaches = [
  ["downstream", "Downstream", "With all tasks that follow it"],
  ["upstream", "Upstream", "With all tasks that it depends on"],
  ["past", "Past", "In all runs before this one, too"],
  ["future", "Future", "In all runs after this one, too"],
] as const;

const explained: Record<Mark, string> = {
  success: "It counts as done, and what waits for it goes on. What runs is stopped.",
  failed: "It counts as failed. What runs is stopped.",
  skipped: "It counts as skipped. What runs is stopped.",
};

interface Props {
  target: Target;
  state: Mark;
  onClose: () => void;
}

/** Says how tasks or runs ended, after showing which. */
export function MarkDialog({ target, state, onClose }: Props) {
  const client = useQueryClient();
  const [reach, setReach] = useState<Reach>(nowhere);
  const [note, setNote] = useState("");
  const preview = useQuery({
    queryKey: ["mark-preview", target, state, reach],
    queryFn: () => previewMark(target, state, reach),
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 0,
  });
  const marking = useMutation({
    mutationFn: () => mark(target, state, reach, note),
    onSuccess: onClose,
    onSettled: () => forget(client, target.dagId),
  });
  const total = preview.data?.total ?? 0;
  return (
    <Dialog
      isWide
      title={`Mark ${nameOf(target)} as ${state}`}
      onClose={onClose}
      onSubmit={() => {
        marking.mutate();
      }}
      buttons={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button
            kind="deed"
            type="submit"
            disabled={marking.isPending || preview.data === undefined || (target.kind !== "runs" && total === 0)}
          >
            Mark {state}
          </Button>
        </>
      }
    >
      <p>{explained[state]}</p>
      {target.kind !== "runs" && (
        <Options
          legend="What else"
          options={reaches}
          values={reach}
          onChange={(name, value) => {
            setReach((before) => ({ ...before, [name]: value }));
          }}
        />
      )}
      <NoteField note={note} onChange={setNote} />
      <AffectedList
        preview={preview.data}
        error={preview.error}
        isBusy={preview.isFetching}
        empty={target.kind === "runs" ? "No task of it would change." : `All of it is ${state} already.`}
      />
      {marking.error && <p role="alert">{marking.error.message}</p>}
    </Dialog>
  );
}
