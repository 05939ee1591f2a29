import { useState } from "react";

import { Button } from "~/components/Button";
import { Can } from "~/components/Can";
import type { Mark, Target } from "~/features/clear/clear.model";
import { ClearDialog } from "~/features/clear/ClearDialog";
import { MarkDialog } from "~/features/clear/MarkDialog";

const marks: Record<Target["kind"], Mark[]> = { tasks: ["success", "failed", "skipped"], runs: ["success", "failed"] };

/** What a person may do with tasks or runs: let them run again, or say how they ended. */
export function Deeds({ target }: { target: Target }) {
  const [open, setOpen] = useState<"clear" | Mark>();
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
      {open !== undefined && open !== "clear" && <MarkDialog target={target} state={open} onClose={close} />}
    </>
  );
}
