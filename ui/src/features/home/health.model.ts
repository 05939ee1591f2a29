/** How the parts of the deployment are. */

export interface Part {
  name: string;
  /** `unknown`: it never was there. */
  status: "healthy" | "unhealthy" | "unknown";
  /** How many of them live. */
  count: number;
}

type Reported = Partial<Record<string, { status?: string | null } | null>>;

interface Living {
  job_type: string | null;
}

const parts = [
  ["metadatabase", "Database", undefined],
  ["scheduler", "Scheduler", "SchedulerJob"],
  ["dag_processor", "DAG processor", "DagProcessorJob"],
  ["triggerer", "Triggerer", "TriggererJob"],
] as const;
const known = new Set<string>(parts.flatMap(([, , job]) => (job === undefined ? [] : [job])));

/** Those that report how they are, then other kinds of processes that live, such as workers. */
export function healthOf(reported: Reported | undefined, living: readonly Living[]): Part[] {
  const counts = new Map<string, number>();
  for (const { job_type: kind } of living) {
    if (kind !== null) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  const main = parts.map(([key, name, job]): Part => {
    const status = reported?.[key]?.status;
    return {
      name,
      status: status === "healthy" || status === "unhealthy" ? status : "unknown",
      count: job === undefined ? 0 : (counts.get(job) ?? 0),
    };
  });
  const others = [...counts]
    .filter(([kind]) => !known.has(kind))
    .map(([kind, count]): Part => ({ name: kind.replace(/Job$/, ""), status: "healthy", count }));
  return [...main, ...others.sort((one, other) => one.name.localeCompare(other.name))];
}
