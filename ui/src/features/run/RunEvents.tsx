import { useQuery } from "@tanstack/react-query";

import { upstreamEventsQuery } from "~/api/instanceQueries";
import { AssetEvents } from "~/components/AssetEvents";
import { Failed } from "~/components/Failed";
import { Skeleton } from "~/components/Skeleton";

/** The updates of assets that a run was made for. */
export function RunEvents({ dagId, runId }: { dagId: string; runId: string }) {
  const { data, error } = useQuery(upstreamEventsQuery(dagId, runId));
  if (error) return <Failed title="Asset events could not be loaded" error={error} />;
  if (data === undefined) return <Skeleton />;
  return <AssetEvents events={data.asset_events} empty="This run was not made for updates of assets." />;
}
