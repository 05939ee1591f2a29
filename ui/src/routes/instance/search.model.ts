/** What the addresses of runs and task instances say. */

export interface InstanceSearch {
  tab?: string | undefined;
  try?: number | undefined;
  /** The copy of a mapped task. */
  map_index?: number | undefined;
  /** An answer that a link fills in: `_options`, and params by their names. */
  [filledIn: string]: unknown;
}

export function instanceSearch({
  tab,
  try: number,
  map_index: index,
  ...rest
}: Record<string, unknown>): InstanceSearch {
  return {
    ...rest,
    ...(typeof tab === "string" && { tab }),
    ...(typeof number === "number" && Number.isInteger(number) && { try: number }),
    ...(typeof index === "number" && Number.isInteger(index) && { map_index: index }),
  };
}

const ofAirflow: Partial<Record<string, string>> = {
  events: "audit_log",
  task_instances: "tasks",
  tries: "attempts",
  task_state_store: "state_store",
};

/** The tab that Airflow's pages have in the path. */
export function tabOfPath(name: string): string {
  return ofAirflow[name] ?? name;
}
