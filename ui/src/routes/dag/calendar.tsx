import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";

import { Calendar } from "~/features/calendar/Calendar";
import { whenOf, written } from "~/features/calendar/calendar.model";
import { useSettings } from "~/lib/settings";
import { inZone } from "~/lib/zoned";

export function CalendarView() {
  const { dagId } = useParams({ from: "/dags/$dagId" });
  const { when } = useSearch({ from: "/dags/$dagId" });
  const { zone } = useSettings();
  const navigate = useNavigate();
  return (
    <Calendar
      dagId={dagId}
      when={whenOf(when, inZone(new Date().toISOString(), zone))}
      onShow={(next) => {
        void navigate({ to: ".", search: (before) => ({ ...before, when: written(next) }) });
      }}
      link={(day, content, title) => (
        <Link
          to="/dags/$dagId/runs"
          params={{ dagId }}
          search={{ from: day, to: day }}
          title={title}
          // Who calls it by what it shows, a day of the month, finds it too.
          aria-label={`${Number(day.slice(8))}, ${title}`}
        >
          {content}
        </Link>
      )}
    />
  );
}
