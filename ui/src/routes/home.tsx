import { Page } from "~/components/Page";
import { Together } from "~/components/Together";
import { Health } from "~/features/home/Health";
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
  return (
    <Page title="Overview">
      <div className={styles.overview}>
        <Health />
        <Numbers />
        <Together>
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
