/** Which DAGs the list shows, as the address says it. */

export const runStates = ["running", "queued", "failed", "success"] as const;
export type RunState = (typeof runStates)[number];

/** What at least one run of a DAG is like, whatever became of those after it. Failed: within a day. */
export const anyRuns = ["running", "queued", "failed"] as const;
export type AnyRun = (typeof anyRuns)[number];

export const views = ["rows", "cards"] as const;
export type View = (typeof views)[number];

/** By what the list may be sorted; `-` before it: the other way round. */
export const sortFields = [
  "dag_display_name",
  "next_dagrun_run_after",
  "last_run_start_date",
  "last_run_state",
] as const;
export type SortField = (typeof sortFields)[number];

/** What its runs begin with. */
export const schedules = ["assets", "time"] as const;
export type Schedule = (typeof schedules)[number];

export interface DagsSearch {
  q?: string | undefined;
  paused?: boolean | undefined;
  tags?: string[] | undefined;
  /** Whether one of the tags is enough. */
  anyTag?: true | undefined;
  schedule?: Schedule | undefined;
  owner?: string | undefined;
  /** Of the last run. */
  state?: RunState | undefined;
  anyRun?: AnyRun | undefined;
  bundle?: string | undefined;
  /** Whether a task of it asks people, and nobody has answered. */
  asks?: true | undefined;
  favorite?: true | undefined;
  broken?: true | undefined;
  sort?: SortField | `-${SortField}` | undefined;
  view?: View | undefined;
  /** The DAG that is about to be triggered. */
  trigger?: string | undefined;
}

/** What of an address makes sense. The router takes what looks like a number or a truth value for one. */
export function parseDagsSearch(raw: Record<string, unknown>): DagsSearch {
  const tags = Array.isArray(raw.tags) ? raw.tags.map(text).filter((tag) => tag !== undefined) : [text(raw.tags)];
  const found: DagsSearch = {
    q: text(raw.q),
    paused: typeof raw.paused === "boolean" ? raw.paused : undefined,
    tags: tags.filter((tag) => tag !== undefined),
    anyTag: raw.anyTag === true || undefined,
    schedule: schedules.find((schedule) => schedule === raw.schedule),
    owner: text(raw.owner),
    state: runStates.find((state) => state === raw.state),
    anyRun: anyRuns.find((state) => state === raw.anyRun),
    bundle: text(raw.bundle),
    asks: raw.asks === true || undefined,
    favorite: raw.favorite === true || undefined,
    broken: raw.broken === true || undefined,
    sort: sortOf(raw.sort),
    view: views.find((view) => view === raw.view),
    trigger: text(raw.trigger),
  };
  if (found.tags?.length === 0) found.tags = undefined;
  return Object.fromEntries(Object.entries(found).filter(([, value]) => value !== undefined));
}

function text(value: unknown): string | undefined {
  if (value === undefined || value === null || value === "") return undefined;
  return typeof value === "string" ? value : JSON.stringify(value);
}

function sortOf(value: unknown): DagsSearch["sort"] {
  const field = sortFields.find((each) => value === each || value === `-${each}`);
  if (field === undefined) return undefined;
  return value === field ? field : `-${field}`;
}

const day = 86_400_000;

/** What the server is asked for. `now` in milliseconds. */
export function dagsParameters(search: DagsSearch, now: number) {
  return { ...ofDags(search), ...ofRuns(search, now) };
}

function ofRuns({ state, anyRun }: DagsSearch, now: number) {
  return {
    ...(state && { last_dag_run_state: state }),
    ...(anyRun && { any_dag_run_state: anyRun }),
    ...(anyRun === "failed" && { any_dag_run_end_date_gte: new Date(now - day).toISOString() }),
  };
}

function ofDags({
  q,
  paused,
  tags,
  anyTag,
  schedule,
  owner,
  bundle,
  asks,
  favorite,
  broken,
  sort = "dag_display_name",
}: DagsSearch) {
  return {
    order_by: [sort],
    ...(q && { dag_display_name_pattern: `%${q}%` }),
    ...(paused !== undefined && { paused }),
    ...(tags && { tags, tags_match_mode: anyTag ? ("any" as const) : ("all" as const) }),
    ...(schedule && { has_asset_schedule: schedule === "assets" }),
    ...(owner && { owners: [owner] }),
    ...(bundle && { bundle_name: bundle }),
    ...(asks && { has_pending_actions: true }),
    ...(favorite && { is_favorite: true }),
    ...(broken && { has_import_errors: true }),
  };
}

/** How all of them are shown, which says nothing about which. */
const manner = new Set(["sort", "trigger", "view"]);

/** Whether it shows fewer than there are. */
export function isNarrowed(search: DagsSearch): boolean {
  return Object.entries(search).some(([name, value]) => value !== undefined && !manner.has(name));
}

/** The change after which it shows all. */
export function widened(search: DagsSearch): DagsSearch {
  return Object.fromEntries(
    Object.keys(search)
      .filter((name) => !manner.has(name))
      .map((name) => [name, undefined]),
  );
}

/** How many cards of at least this width fit beside each other. */
export function cardsAcross(width: number, least: number, gap: number): number {
  return Math.max(1, Math.floor((width + gap) / (least + gap)));
}

/** After a click on the heading of a column: upwards, downwards, as at first. */
export function nextSort(field: SortField, sort: DagsSearch["sort"]): DagsSearch["sort"] {
  // What happened last is what people look for; names are read from the beginning.
  const isBackwardFirst = field === "last_run_start_date";
  const [first, second] = isBackwardFirst ? ([`-${field}`, field] as const) : ([field, `-${field}`] as const);
  if (sort === first) return second;
  return sort === second ? undefined : first;
}

/** The parts of a list, by number, that these rows are in. */
export function partsOf(first: number, last: number, size: number): number[] {
  const from = Math.floor(first / size);
  const count = Math.floor(Math.max(first, last) / size) - from + 1;
  return Array.from({ length: count }, (_, position) => from + position);
}
