import { Link, useParams } from "@tanstack/react-router";

import { Details } from "~/features/details/Details";
import { ComingDeadlines, DeadlineAlerts, MissedDeadlines } from "~/features/waiting/Cards";

export function DetailsView() {
  const { dagId } = useParams({ from: "/dags/$dagId" });
  return (
    <Details
      dagId={dagId}
      deadlines={
        <>
          <DeadlineAlerts dagId={dagId} />
          <MissedDeadlines dagId={dagId} />
          <ComingDeadlines dagId={dagId} />
        </>
      }
      codeLink={(version) => (
        <Link to="/dags/$dagId/code" params={{ dagId }} search={{ version }}>
          Version {version}
        </Link>
      )}
    />
  );
}
