import { Notice } from "~/components/Notice";

import styles from "./DagTable.module.css";
import { type DagsSearch, isNarrowed, widened } from "./list.model";

interface Props {
  search: DagsSearch;
  onChange: (next: DagsSearch) => void;
}

/** In the place of a list without a DAG. */
export function NoDags({ search, onChange }: Props) {
  if (isNarrowed(search)) {
    return (
      <Notice title="No DAG fits this search">
        <p>
          <button
            type="button"
            className={styles.link}
            onClick={() => {
              onChange(widened(search));
            }}
          >
            Show all DAGs
          </button>
        </p>
      </Notice>
    );
  }
  return (
    <Notice title="There are no DAGs yet">
      <p>Put a Python file with a DAG into the DAGs folder. It appears here by itself within a second.</p>
    </Notice>
  );
}
