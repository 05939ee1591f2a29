/** What of a graph is shown: the tasks that somebody looks for, what is around one of them, and what is around the DAG. */
import type { Edge, Graph, Node } from "./graph.model";

export type Around = "upstream" | "downstream" | "both";

/** What is looked for. All of it has to fit. */
export interface GraphFilter {
  /** A part of the name. */
  q?: string | undefined;
  state?: string | undefined;
  operator?: string | undefined;
  /** The tasks within it, at whatever depth. */
  group?: string | undefined;
  /** At least so many seconds, from the first start to the last end. */
  took?: number | undefined;
  /** Mapped tasks that have a copy of this number. */
  copy?: number | undefined;
  /** What the chosen task depends on, or what depends on it. */
  around?: Around | undefined;
  /** How many steps from the chosen task; undefined: however many. */
  depth?: number | undefined;
}

/** Of the run that is shown, and what is chosen in it. */
export interface Looked {
  states: ReadonlyMap<string, string>;
  /** In seconds; until now, of what has not ended. */
  took: ReadonlyMap<string, number>;
  copies: ReadonlyMap<string, number>;
  selected: string | undefined;
}

/** How many things somebody looks for. */
export function countFilters({ q, state, operator, group, took, copy, around }: GraphFilter): number {
  return [q, state, operator, group, took, copy, around].filter((each) => each !== undefined && each !== "").length;
}

/** What is left of a graph. */
export function narrowed(graph: Graph, filter: GraphFilter, looked: Looked): Graph {
  const { selected } = looked;
  const { around, depth } = filter;
  const near =
    around === undefined || selected === undefined ? graph : kept(graph, related(graph, selected, around, depth));
  const fits = fitting(near.rows, filter, looked);
  return fits === undefined ? near : bridged(near, fits);
}

/** The task itself, what it depends on, what depends on it, and the groups that all of them are in. */
export function related({ rows, edges }: Graph, task: string, around: Around, depth = Infinity): ReadonlySet<string> {
  const found = new Set([task]);
  if (around !== "downstream") walk(task, neighbours(edges, "target", "source"), depth, found);
  if (around !== "upstream") walk(task, neighbours(edges, "source", "target"), depth, found);
  return withGroups(rows, found);
}

function neighbours(edges: Edge[], from: "source" | "target", to: "source" | "target"): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const edge of edges) {
    const known = found.get(edge[from]);
    if (known === undefined) found.set(edge[from], [edge[to]]);
    else known.push(edge[to]);
  }
  return found;
}

/** Step by step, so that each is met on the shortest way. */
function walk(from: string, next: Map<string, string[]>, depth: number, found: Set<string>): void {
  const seen = new Set([from]);
  let reached = [from];
  for (let step = 0; step < depth && reached.length > 0; step += 1) {
    reached = reached.flatMap((at) => next.get(at) ?? []).filter((each) => !seen.has(each) && seen.add(each));
    for (const each of reached) found.add(each);
  }
}

function withGroups(rows: Node[], found: Set<string>): ReadonlySet<string> {
  const parents = new Map(rows.map(({ node_id, parent_id }) => [node_id, parent_id]));
  for (const id of [...found]) {
    for (let at = parents.get(id) ?? null; at !== null; at = parents.get(at) ?? null) found.add(at);
  }
  return found;
}

function kept({ rows, edges }: Graph, wanted: ReadonlySet<string>): Graph {
  return {
    rows: rows.filter((row) => wanted.has(row.node_id)),
    edges: edges.filter((edge) => wanted.has(edge.source) && wanted.has(edge.target)),
  };
}

/** The tasks that are looked for; undefined where nobody looks for any. */
function fitting(
  rows: Node[],
  { q = "", state, operator, group, took, copy }: GraphFilter,
  run: Looked,
): ReadonlySet<string> | undefined {
  const text = q.trim().toLowerCase();
  if (text === "" && !state && !operator && !group && took === undefined && copy === undefined) return undefined;
  const within = group ? members(rows, group) : undefined;
  return new Set(
    rows
      .filter(({ is_group, kind }) => !is_group && kind === undefined)
      .filter(
        ({ node_id, label, operator: own }) =>
          `${node_id} ${label}`.toLowerCase().includes(text) &&
          (!operator || own === operator) &&
          (within?.has(node_id) ?? true),
      )
      .filter(
        ({ node_id, is_mapped }) =>
          (!state || (run.states.get(node_id) ?? "none") === state) &&
          (took === undefined || (run.took.get(node_id) ?? -1) >= took) &&
          (copy === undefined || (is_mapped && (run.copies.get(node_id) ?? 0) > copy)),
      )
      .map(({ node_id }) => node_id),
  );
}

/** The tasks of a group, at whatever depth. */
export function tasksWithin(rows: Pick<Node, "node_id" | "parent_id" | "is_group">[], group: string): string[] {
  const within = members(rows, group);
  return rows.filter(({ node_id, is_group }) => !is_group && within.has(node_id)).map(({ node_id }) => node_id);
}

/** All that is in a group. Members follow the group that they are in. */
function members(rows: Pick<Node, "node_id" | "parent_id">[], group: string): ReadonlySet<string> {
  const found = new Set([group]);
  for (const { node_id, parent_id } of rows) if (parent_id !== null && found.has(parent_id)) found.add(node_id);
  return found;
}

/** Only these tasks, their groups, and what of the outside hangs on them. What led from one to another by way of those that are gone still does. */
function bridged(graph: Graph, fits: ReadonlySet<string>): Graph {
  const { rows, edges } = graph;
  const after = neighbours(edges, "source", "target");
  const isOutside = new Set(rows.filter(({ kind }) => kind !== undefined).map(({ node_id }) => node_id));
  const stays = new Set([...fits, ...hanging(edges, fits, isOutside)]);
  const direct = edges.filter(({ source, target }) => stays.has(source) && stays.has(target));
  const known = new Set(direct.map(({ source, target }) => `${source} ${target}`));
  const indirect = [...fits].flatMap((source) =>
    withoutDetours(nearest(source, after, stays), after)
      .filter((target) => fits.has(target) && !known.has(`${source} ${target}`))
      .map((target) => ({ source, target, label: "", isIndirect: true })),
  );
  const wanted = withGroups(rows, stays);
  return { rows: rows.filter(({ node_id }) => wanted.has(node_id)), edges: [...direct, ...indirect] };
}

/** What of the outside can be reached without passing through a task. */
function hanging(edges: Edge[], from: ReadonlySet<string>, isOutside: ReadonlySet<string>): ReadonlySet<string> {
  const found = new Set<string>();
  if (isOutside.size === 0) return found;
  const after = neighbours(edges, "source", "target");
  const before = neighbours(edges, "target", "source");
  const left = [...from];
  for (let at = left.pop(); at !== undefined; at = left.pop()) {
    const near = [...(after.get(at) ?? []), ...(before.get(at) ?? [])];
    for (const each of near) {
      if (!isOutside.has(each) || found.has(each)) continue;
      found.add(each);
      left.push(each);
    }
  }
  return found;
}

/** The first of those that stay, on each way from here. */
function nearest(from: string, after: Map<string, string[]>, stays: ReadonlySet<string>): string[] {
  const seen = new Set([from]);
  const found: string[] = [];
  const left = [from];
  for (let at = left.pop(); at !== undefined; at = left.pop()) {
    for (const each of after.get(at) ?? []) {
      if (seen.has(each)) continue;
      seen.add(each);
      if (stays.has(each)) found.push(each);
      else left.push(each);
    }
  }
  return found;
}

/** Those that cannot be reached by way of another one: a line for each way there is would hide everything. */
function withoutDetours(targets: string[], after: Map<string, string[]>): string[] {
  if (targets.length < 2) return targets;
  const reached = new Set<string>();
  const left = targets.flatMap((target) => after.get(target) ?? []);
  for (let at = left.pop(); at !== undefined; at = left.pop()) {
    if (reached.has(at)) continue;
    reached.add(at);
    left.push(...(after.get(at) ?? []));
  }
  return targets.filter((target) => !reached.has(target));
}

interface Answer {
  rows: Node[];
  edges: Edge[];
  roles: Partial<Record<string, string>>;
  outside: { node_id: string; kind: NonNullable<Node["kind"]>; label: string; target: string | null }[];
  outside_edges: { source: string; target: string }[];
}

/** As the server tells it: the tasks, and if it is wanted, what is around the DAG. */
export function graphOf(answer: Answer, hasOutside: boolean): Graph {
  const rows = answer.rows.map((row) => {
    const role = answer.roles[row.node_id];
    return role === undefined ? row : { ...row, role };
  });
  if (!hasOutside) return { rows, edges: answer.edges };
  const around = answer.outside.map((each): Node => ({ ...each, parent_id: null, is_group: false, is_mapped: false }));
  return {
    rows: [...rows, ...around],
    edges: [...answer.edges, ...answer.outside_edges.map((edge) => ({ ...edge, label: "" }))],
  };
}
