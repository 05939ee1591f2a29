import { useQuery } from "@tanstack/react-query";

import { producedQuery } from "~/api/instanceQueries";
import type { TaskPlace } from "~/api/queries";
import { AssetEvents } from "~/components/AssetEvents";
import { Failed } from "~/components/Failed";
import { Skeleton } from "~/components/Skeleton";

/** The updates of assets that the task told of. */
export function Produced({ place }: { place: TaskPlace }) {
  const { data, error } = useQuery(producedQuery(place));
  if (error) return <Failed title="Asset events could not be loaded" error={error} />;
  if (data === undefined) return <Skeleton />;
  return <AssetEvents events={data.asset_events} empty="The task has updated no asset." />;
}
