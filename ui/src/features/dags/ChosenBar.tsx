import { useState } from "react";

import { useMay } from "~/api/permissions";
import { Button } from "~/components/Button";

import { type Choice, concerned, counted, type Deed, deeds, deedTitles } from "./choice.model";
import { ManyDialog } from "./ManyDialog";
import styles from "./Many.module.css";

/** What can be done to the chosen DAGs. */
export function ChosenBar({ choice, onNone }: { choice: Choice; onNone: () => void }) {
  const [deed, setDeed] = useState<Deed>();
  const may = useMay();
  const about = (each: Deed) =>
    concerned(choice, each, (action, dagId) => {
      const { isAllowed, reason } = may(action, "DAG", dagId);
      return isAllowed ? undefined : (reason ?? "It is not known whether you may.");
    });
  return (
    <div className={styles.bar} role="toolbar" aria-label="Chosen DAGs">
      <span role="status">{counted(choice.size, "DAG")} chosen</span>
      {deeds.map((each) => (
        <Button
          key={each}
          kind={each === "delete" ? "danger" : "plain"}
          disabled={about(each).dags.length === 0}
          title={about(each).dags.length === 0 ? about(each).others[0]?.reason : undefined}
          onClick={() => {
            setDeed(each);
          }}
        >
          {deedTitles[each]}…
        </Button>
      ))}
      <Button onClick={onNone}>None</Button>
      {deed !== undefined && (
        <ManyDialog
          deed={deed}
          concerned={about(deed)}
          onDone={onNone}
          onClose={() => {
            setDeed(undefined);
          }}
        />
      )}
    </div>
  );
}
