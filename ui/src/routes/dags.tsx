import { useNavigate, useRouter, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";

import { Page } from "~/components/Page";
import { DagCards } from "~/features/dags/DagCards";
import { DagFilters } from "~/features/dags/DagFilters";
import { DagTable } from "~/features/dags/DagTable";
import type { DagsSearch } from "~/features/dags/list.model";
import { changeSettings, useSettings } from "~/lib/settings";
import { TriggerDialog } from "~/features/trigger/LazyTriggerDialog";

export function DagsPage() {
  const search = useSearch({ from: "/dags" });
  const navigate = useNavigate({ from: "/dags" });
  const router = useRouter();
  const { dagsAsCards } = useSettings();
  const view = search.view ?? (dagsAsCards ? "cards" : "rows");
  const List = view === "cards" ? DagCards : DagTable;
  const change = useCallback(
    (next: DagsSearch) => {
      void navigate({ search: (before) => ({ ...before, ...next }), replace: true });
    },
    [navigate],
  );
  return (
    <Page title="DAGs">
      <DagFilters
        search={search}
        view={view}
        onChange={change}
        onView={(next) => {
          changeSettings({ dagsAsCards: next === "cards" });
          change({ view: next });
        }}
      />
      <List search={search} onChange={change} />
      {search.trigger !== undefined && (
        <TriggerDialog
          dagId={search.trigger}
          onClose={() => {
            // Whoever has triggered it is at its page by now.
            if (router.state.location.pathname === "/dags") change({ trigger: undefined });
          }}
        />
      )}
    </Page>
  );
}
