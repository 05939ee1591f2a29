import { useParams } from "@tanstack/react-router";

import { useMay } from "~/api/permissions";
import { AuditTable } from "~/components/AuditTable";
import { Notice } from "~/components/Notice";

export function EventsView() {
  const { dagId } = useParams({ from: "/dags/$dagId" });
  const { isAllowed, reason } = useMay()("read", "audit log");
  if (isAllowed) return <AuditTable dagId={dagId} />;
  return reason === undefined ? null : <Notice title="The audit log is not for everybody">{reason}</Notice>;
}
