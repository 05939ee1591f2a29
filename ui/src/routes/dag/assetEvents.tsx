import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";

import { consumedEventsQuery, producedEventsQuery, queuedEventsQuery } from "~/api/dagQueries";
import { slotsPage } from "~/api/waitingQueries";
import { AssetEvents } from "~/components/AssetEvents";
import { Card } from "~/components/Card";
import { Moment } from "~/components/Moment";
import { Together } from "~/components/Together";

import { SlotTable } from "~/features/waiting/SlotTable";
import { slotStates } from "~/features/waiting/waiting.model";

import styles from "./assetEvents.module.css";

/** Updates of assets that the DAG made, that it ran for, and that wait for it; and its ticks that wait for assets. */
export function AssetEventsView() {
  const { dagId } = useParams({ from: "/dags/$dagId" });
  const produced = useQuery(producedEventsQuery(dagId));
  const consumed = useQuery(consumedEventsQuery(dagId));
  const queued = useQuery(queuedEventsQuery(dagId));
  return (
    <Together>
      <div className={styles.events}>
        <Card
          title="Made by this DAG"
          count={produced.data?.total_entries}
          error={produced.error}
          isLoading={produced.isLoading}
          empty={produced.data?.total_entries === 0 && "No task of this DAG has updated an asset yet."}
        >
          {produced.data && <AssetEvents events={produced.data.asset_events} empty="" />}
        </Card>
        <Card
          title="What its newest run was made for"
          error={consumed.error}
          isLoading={consumed.isLoading}
          empty={consumed.data?.events.length === 0 && "No run of this DAG was made for updates of assets."}
        >
          {consumed.data && <AssetEvents events={consumed.data.events} empty="" />}
        </Card>
        <Card
          title="Waiting for its next run"
          error={queued.error}
          isLoading={queued.isLoading}
          empty={queued.data?.length === 0 && "No update of an asset waits for a run of this DAG."}
        >
          <ul className={styles.queued}>
            {queued.data?.map(({ name, created_at }) => (
              <li key={`${name} ${created_at}`}>
                {name} <Moment at={created_at} />
              </li>
            ))}
          </ul>
        </Card>
        <Ticks dagId={dagId} />
      </div>
    </Together>
  );
}

/** Only of DAGs with a schedule of both times and assets. */
function Ticks({ dagId }: { dagId: string }) {
  const { data } = useQuery({
    queryKey: ["slots", dagId, "any"],
    queryFn: () => slotsPage(dagId, [], 0, 1),
  });
  if (!data?.total) return null;
  return (
    <section className={styles.ticks} aria-label="Ticks of its schedule">
      <h2>Ticks of its schedule</h2>
      <SlotTable dagId={dagId} states={slotStates("all")} empty="" />
    </section>
  );
}
