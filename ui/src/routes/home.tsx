import { useNavigate, useSearch } from "@tanstack/react-router";

import { Page } from "~/components/Page";
import { Together } from "~/components/Together";
import { Alerts } from "~/features/home/Alerts";
import { Health } from "~/features/home/Health";
import { History } from "~/features/home/History";
import { usualPeriod } from "~/features/home/history.model";
import {
  ActiveRuns,
  AssetUpdates,
  Failures,
  Favorites,
  ImportErrors,
  LongRunning,
  Pools,
  Upcoming,
} from "~/features/home/Lists";
import { PluginCards } from "~/features/plugins/PluginCards";
import { ComingDeadlines, MissedDeadlines, WaitingTicks } from "~/features/waiting/Cards";
import { Numbers } from "~/features/home/Numbers";

import styles from "./home.module.css";

export function HomePage() {
  const { period = usualPeriod } = useSearch({ from: "/" });
  const navigate = useNavigate({ from: "/" });
  return (
    <Page title="Overview">
      <div className={styles.overview}>
        <Health />
        <Numbers />
        <Together>
          <div className={styles.wide}>
            <Alerts />
            <History
              period={period}
              onPeriod={(next) => {
                void navigate({ search: { period: next === usualPeriod ? undefined : next }, replace: true });
              }}
            />
          </div>
          <div className={styles.columns}>
            <div>
              <ActiveRuns />
              <Failures />
              <MissedDeadlines />
              <ImportErrors />
              <AssetUpdates />
            </div>
            <div>
              <Favorites />
              <Upcoming />
              <Pools />
              <LongRunning />
              {/* Only where there is something of the kind: at the end, they push nothing away when they come. */}
              <WaitingTicks />
              <ComingDeadlines />
            </div>
          </div>
          <PluginCards />
        </Together>
      </div>
    </Page>
  );
}
