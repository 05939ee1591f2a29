/** What of the audit log is shown, as the address says it. */

export const eventFilters = ["dag", "run", "task", "user", "event"] as const;
export type EventFilter = (typeof eventFilters)[number];

export type EventsSearch = Partial<Record<EventFilter | "after" | "before", string>>;

const names: Record<EventFilter, string> = {
  dag: "dag_id_pattern",
  run: "run_id_pattern",
  task: "task_id_pattern",
  user: "owner_pattern",
  event: "event_pattern",
};

export function parseEventsSearch(raw: Record<string, unknown>): EventsSearch {
  const found: EventsSearch = {};
  for (const name of [...eventFilters, "after", "before"] as const) {
    const value = raw[name];
    if (value !== undefined && value !== null && value !== "") {
      found[name] = typeof value === "string" ? value : JSON.stringify(value);
    }
  }
  return found;
}

/** What the server is asked for. A day without a time means its beginning, in the zone of the browser. */
export function eventsParameters(search: EventsSearch): Record<string, string> {
  const found: Record<string, string> = {};
  for (const name of eventFilters) {
    const value = search[name];
    if (value) found[names[name]] = `%${value}%`;
  }
  for (const name of ["after", "before"] as const) {
    const at = search[name] === undefined ? Number.NaN : Date.parse(search[name]);
    if (!Number.isNaN(at)) found[name] = new Date(at).toISOString();
  }
  return found;
}
