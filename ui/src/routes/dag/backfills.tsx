import { useParams } from "@tanstack/react-router";

import { Backfills } from "~/features/backfills/Backfills";

export function BackfillsView() {
  const { dagId } = useParams({ from: "/dags/$dagId" });
  return <Backfills dagId={dagId} />;
}
