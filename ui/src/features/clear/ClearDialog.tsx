import { keepPreviousData, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { Button } from "~/components/Button";
import { Dialog } from "~/components/Dialog";

import { AffectedList } from "./AffectedList";
import { clear } from "./ask";
import { clearDefaults, type ClearOptions, nameOf, type Target } from "./clear.model";
import { NoteField, Options } from "./Options";
import { forget } from "./forget";

const ofTasks = [
  ["downstream", "Downstream", "With all tasks that follow it"],
  ["upstream", "Upstream", "With all tasks that it depends on"],
  ["past", "Past", "In all runs before this one, too"],
  ["future", "Future", "In all runs after this one, too"],
  ["onlyFailed", "Only failed", "Of all these, only what has failed"],
  ["onLatestVersion", "On the latest version", "As the DAG is now, not as it was for this run"],
  ["preventRunning", "Not while running", "Refuse, if one of them is running"],
] as const;
const ofRuns = [
  ["onlyFailed", "Only failed", "Leave alone what went well"],
  ["onlyNew", "Only new tasks", "Only tasks that the DAG has got since"],
  ["onLatestVersion", "On the latest version", "As the DAG is now, not as it was for this run"],
] as const;

/** Lets tasks or runs run again, after showing which. */
export function ClearDialog({ target, onClose }: { target: Target; onClose: () => void }) {
  const client = useQueryClient();
  const [options, setOptions] = useState<ClearOptions>(() => clearDefaults(target));
  const [note, setNote] = useState("");
  const preview = useQuery({
    queryKey: ["clear-preview", target, options],
    queryFn: () => clear(target, options, true, ""),
    placeholderData: keepPreviousData,
    staleTime: 0,
    gcTime: 0,
  });
  const clearing = useMutation({
    mutationFn: () => clear(target, options, false, note),
    onSuccess: onClose,
    onSettled: () => forget(client, target.dagId),
  });
  const total = preview.data?.total ?? 0;
  return (
    <Dialog
      isWide
      title={`Clear ${nameOf(target)}`}
      onClose={onClose}
      onSubmit={() => {
        clearing.mutate();
      }}
      buttons={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="deed" type="submit" disabled={clearing.isPending || preview.data === undefined || total === 0}>
            {total === 1 ? "Clear 1 task" : `Clear ${total} tasks`}
          </Button>
        </>
      }
    >
      <p>What is cleared runs again. What it has logged stays, as the log of an earlier try.</p>
      <Options
        legend="What else"
        options={target.kind === "runs" ? ofRuns : ofTasks}
        values={options}
        onChange={(name, value) => {
          setOptions((before) => ({ ...before, [name]: value, ...(value && exclusive(name)) }));
        }}
      />
      <NoteField note={note} onChange={setNote} />
      <AffectedList
        preview={preview.data}
        error={preview.error}
        isBusy={preview.isFetching}
        empty="Nothing would be cleared."
      />
      {clearing.error && <p role="alert">{clearing.error.message}</p>}
    </Dialog>
  );
}

function exclusive(name: string): Partial<ClearOptions> {
  if (name === "onlyNew") return { onlyFailed: false };
  return name === "onlyFailed" ? { onlyNew: false } : {};
}
