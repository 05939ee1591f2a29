import { useNavigate, useSearch } from "@tanstack/react-router";

import { Page } from "~/components/Page";
import { Tabs } from "~/components/Tabs";
import { InquiryTable, type Shown } from "~/features/inquiries/InquiryTable";

import styles from "./instance/instance.module.css";

const shownTabs = [
  ["open", "Open"],
  ["answered", "Answered"],
  ["all", "All"],
] as const satisfies readonly (readonly [Shown, string])[];

/** What tasks wait for people to answer. */
export function RequiredActionsPage() {
  const { show = "open", q = "" } = useSearch({ from: "/required_actions" });
  const navigate = useNavigate({ from: "/required_actions" });
  return (
    <Page title="Required actions">
      <div className={styles.filters}>
        <Tabs
          label="Which"
          tabs={shownTabs}
          chosen={show}
          onChoose={(next) => void navigate({ search: (before) => ({ ...before, show: next }) })}
        />
        <input
          type="search"
          value={q}
          placeholder="Search questions"
          aria-label="Search questions"
          onChange={({ target }) => {
            const text = target.value;
            void navigate({ search: (before) => ({ ...before, q: text || undefined }), replace: true });
          }}
        />
      </div>
      <InquiryTable shown={show} searched={q} />
    </Page>
  );
}
