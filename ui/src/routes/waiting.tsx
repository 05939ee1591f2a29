/** What waits for assets, and what has to be over until when, of all DAGs. */
import { useNavigate, useSearch } from "@tanstack/react-router";

import { Page } from "~/components/Page";
import { Tabs } from "~/components/Tabs";
import { DeadlineTable } from "~/features/waiting/DeadlineTable";
import { SlotTable } from "~/features/waiting/SlotTable";
import { slotStates, type SlotView, slotViews } from "~/features/waiting/waiting.model";

import styles from "./records.module.css";

const emptiness: Record<SlotView, string> = {
  waiting: "No schedule waits for an asset. Ticks of an AssetAndTimeSchedule whose assets are missing appear here.",
  settled: "No tick of an AssetAndTimeSchedule has got its run yet, or has been given up.",
  all: "No DAG has had a tick of an AssetAndTimeSchedule yet.",
};

export function SlotsPage() {
  const { which = "waiting" } = useSearch({ from: "/slots" });
  const navigate = useNavigate({ from: "/slots" });
  return (
    <Page title="Waiting for assets">
      <Tabs
        label="Which ticks"
        tabs={(Object.keys(slotViews) as SlotView[]).map((name) => [name, slotViews[name]] as const)}
        chosen={which}
        onChoose={(next) => {
          void navigate({ search: next === "waiting" ? {} : { which: next } });
        }}
      />
      <div className={styles.below}>
        <SlotTable dagId="~" states={slotStates(which)} empty={emptiness[which]} />
      </div>
    </Page>
  );
}

export function DeadlinesPage() {
  const { which = "coming" } = useSearch({ from: "/deadlines" });
  const navigate = useNavigate({ from: "/deadlines" });
  return (
    <Page title="Deadlines">
      <Tabs
        label="Which deadlines"
        tabs={[
          ["coming", "To come"],
          ["missed", "Missed"],
        ]}
        chosen={which}
        onChoose={(next) => {
          void navigate({ search: next === "missed" ? { which: next } : {} });
        }}
      />
      <div className={styles.below}>
        <DeadlineTable dagId="~" missed={which === "missed"} />
      </div>
    </Page>
  );
}
