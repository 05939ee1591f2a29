import { Choice } from "./Choice";
import styles from "./DagFilters.module.css";
import { type DagsSearch, parseDagsSearch, type View, views } from "./list.model";

const sorts = {
  dag_display_name: "By name",
  "-last_run_start_date": "Latest run first",
  next_dagrun_run_after: "Next run first",
  last_run_state: "By state",
};

interface Props {
  view: View;
  onChange: (next: DagsSearch) => void;
  onView: (view: View) => void;
  sort: DagsSearch["sort"];
}

/** Rows or cards. Rows are sorted by their headings, which cards have not. */
export function Manner({ sort = "dag_display_name", view, onChange, onView }: Props) {
  return (
    <span className={styles.manner}>
      {view === "cards" && (
        <Choice
          label="Order"
          value={sort}
          choices={{ ...sorts, ...(!(sort in sorts) && { [sort]: "As in the rows" }) }}
          onChange={(value) => {
            onChange({ sort: parseDagsSearch({ sort: value }).sort });
          }}
        />
      )}
      <span className={styles.views} role="group" aria-label="View">
        {views.map((each) => (
          <button
            key={each}
            type="button"
            aria-pressed={each === view}
            onClick={() => {
              onView(each);
            }}
          >
            {each === "rows" ? "Rows" : "Cards"}
          </button>
        ))}
      </span>
    </span>
  );
}
