/** Lists over all DAGs: what is looked for, as addresses say it, and as the server is asked for it. */

export interface BrowseSearch {
  dag?: string | undefined;
  run?: string | undefined;
  task?: string | undefined;
  key?: string | undefined;
  state?: string | undefined;
  type?: string | undefined;
  operator?: string | undefined;
  pool?: string | undefined;
  user?: string | undefined;
  /** Days in the chosen zone. */
  from?: string | undefined;
  to?: string | undefined;
}

export type BrowseFilter = keyof BrowseSearch;

const all: BrowseFilter[] = ["dag", "run", "task", "key", "state", "type", "operator", "pool", "user", "from", "to"];

export function parseBrowseSearch(raw: Record<string, unknown>): BrowseSearch {
  const found: BrowseSearch = {};
  for (const name of all) {
    const value = raw[name];
    // The router takes what looks like a number for one.
    if (value !== undefined && value !== null && value !== "")
      found[name] = typeof value === "string" ? value : JSON.stringify(value);
  }
  return found;
}

const runPatterns = { dag: "dag_id_pattern", run: "run_id_pattern", user: "triggering_user_name_pattern" } as const;
const taskPatterns = {
  dag: "dag_id_pattern",
  run: "run_id_pattern",
  task: "task_display_name_pattern",
  operator: "operator_name_pattern",
  pool: "pool_name_pattern",
} as const;
const xcomPatterns = {
  dag: "dag_display_name_pattern",
  run: "run_id_pattern",
  task: "task_id_pattern",
  key: "xcom_key_pattern",
} as const;

interface Between {
  after?: string;
  before?: string;
}

const between = ({ after, before }: Between) => ({
  ...(after !== undefined && { run_after_gte: after }),
  ...(before !== undefined && { run_after_lt: before }),
});

export function runsParameters(search: BrowseSearch, days: Between) {
  return {
    ...patterns(search, runPatterns),
    ...(search.state !== undefined && { state: [search.state] }),
    ...(search.type !== undefined && { run_type: [search.type] }),
    ...between(days),
  };
}

export function tasksParameters(search: BrowseSearch, days: Between) {
  return {
    ...patterns(search, taskPatterns),
    ...(search.state !== undefined && { state: [search.state] }),
    ...between(days),
  };
}

export function xcomsParameters(search: BrowseSearch, days: Between) {
  return { ...patterns(search, xcomPatterns), ...between(days) };
}

function patterns(search: BrowseSearch, names: Partial<Record<BrowseFilter, string>>): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [filter, name] of Object.entries(names)) {
    const value = search[filter as BrowseFilter];
    if (value !== undefined) found[name] = `%${value}%`;
  }
  return found;
}

export interface ChosenRun {
  dagId: string;
  runId: string;
}

/** The DAG that all of these are of; undefined where there is none, or more than one. */
export function onlyDag(chosen: readonly ChosenRun[]): string | undefined {
  const [first] = chosen;
  return first !== undefined && chosen.every(({ dagId }) => dagId === first.dagId) ? first.dagId : undefined;
}
