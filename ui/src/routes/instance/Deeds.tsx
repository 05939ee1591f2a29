import { useMemo, useState } from "react";

import { useMay } from "~/api/permissions";
import { Button } from "~/components/Button";
import { Can } from "~/components/Can";
import type { Mark, Target } from "~/features/clear/clear.model";
import { ClearDialog } from "~/features/clear/ClearDialog";
import { MarkDialog } from "~/features/clear/MarkDialog";
import { type Shortcut, useShortcuts } from "~/lib/shortcuts";

const ofTasks: Mark[] = ["success", "failed", "skipped"];
const marks: Record<Target["kind"], Mark[]> = {
  tasks: ofTasks,
  group: ofTasks,
  several: ofTasks,
  runs: ["success", "failed"],
};

const keys = [
  ["shift+c", "clear", "Clear"],
  ["shift+s", "success", "Mark success"],
  ["shift+f", "failed", "Mark failed"],
] as const;

interface Props {
  target: Target;
  /** Whether keys do it, too: of what the page is about, but not of each list in it. */
  hasKeys?: boolean;
}

/** What a person may do with tasks or runs: let them run again, or say how they ended. */
export function Deeds({ target, hasKeys = false }: Props) {
  const [open, setOpen] = useState<"clear" | Mark>();
  const may = useMay();
  const hasShortcuts = hasKeys && may("edit", "DAG", target.dagId).isAllowed;
  const group = target.kind === "runs" ? "Run" : "Task";
  useShortcuts(
    useMemo(
      (): Shortcut[] =>
        hasShortcuts
          ? keys.map(([each, deed, title]) => ({
              keys: each,
              title,
              group,
              run: () => {
                setOpen(deed);
              },
            }))
          : [],
      [hasShortcuts, group],
    ),
  );
  const close = () => {
    setOpen(undefined);
  };
  return (
    <>
      <Can action="edit" resource="DAG" dagId={target.dagId} explain>
        <Button
          title="Let it run again"
          onClick={() => {
            setOpen("clear");
          }}
        >
          Clear
        </Button>{" "}
        {marks[target.kind].map((state) => (
          <Button
            key={state}
            onClick={() => {
              setOpen(state);
            }}
          >
            Mark {state}
          </Button>
        ))}
      </Can>
      {open === "clear" && <ClearDialog target={target} onClose={close} />}
      {open !== undefined && open !== "clear" && <MarkDialog key={open} target={target} state={open} onClose={close} />}
    </>
  );
}
