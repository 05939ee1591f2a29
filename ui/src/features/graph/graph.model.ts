/** The graph as the layout engine wants it, and as it comes back. */

export interface Node {
  node_id: string;
  label: string;
  parent_id: string | null;
  is_group: boolean;
  is_mapped: boolean;
}

export interface Edge {
  source: string;
  target: string;
  label: string;
}

export interface Box {
  id: string;
  width?: number;
  height?: number;
  children?: Box[];
  layoutOptions?: Record<string, string>;
}

/** What the engine is given: boxes within boxes, and which hang together. */
export interface Wanted extends Box {
  children: Box[];
  edges: { id: string; sources: string[]; targets: string[] }[];
}

export interface Placed {
  id: string;
  x: number;
  y: number;
  width: number;
  height: number;
  parent: string | undefined;
}

interface LaidOut {
  id: string;
  x?: number;
  y?: number;
  width?: number;
  height?: number;
  children?: LaidOut[];
}

export function edgeId(source: string, target: string): string {
  return `${source} → ${target}`;
}

const height = 36;
const letter = 8;
const groupOptions = { "elk.padding": "[top=34,left=14,bottom=14,right=14]" };

export type Direction = "RIGHT" | "DOWN";

/** Nodes in a folded group are left out, and what hangs on them hangs on the group. */
export function wantedLayout(
  nodes: Node[],
  edges: Edge[],
  folded: ReadonlySet<string>,
  direction: Direction = "RIGHT",
): Wanted {
  const parents = new Map(nodes.map(({ node_id, parent_id }) => [node_id, parent_id]));
  const shownAs = (id: string): string => outermostFolded(id, parents, folded) ?? id;
  const boxes = new Map<string | null, Box[]>();
  for (const node of [...nodes].reverse()) {
    if (shownAs(node.node_id) !== node.node_id) continue;
    const siblings = boxes.get(node.parent_id) ?? [];
    siblings.unshift(box(node, folded.has(node.node_id) ? [] : (boxes.get(node.node_id) ?? [])));
    boxes.set(node.parent_id, siblings);
  }
  const drawn = new Map(
    edges
      .map(({ source, target }) => [shownAs(source), shownAs(target)] as const)
      .filter(([source, target]) => source !== target)
      .map(([source, target]) => [edgeId(source, target), { sources: [source], targets: [target] }]),
  );
  return {
    id: "",
    children: boxes.get(null) ?? [],
    edges: [...drawn].map(([id, ends]) => ({ id, ...ends })),
    layoutOptions: {
      "elk.algorithm": "layered",
      "elk.direction": direction,
      "elk.hierarchyHandling": "INCLUDE_CHILDREN",
      // Room for what is written at lines.
      "elk.layered.spacing.nodeNodeBetweenLayers": edges.some(({ label }) => label !== "") ? "96" : "48",
      "elk.spacing.nodeNode": "18",
    },
  };
}

function box(node: Node, children: Box[]): Box {
  if (children.length > 0) return { id: node.node_id, children, layoutOptions: groupOptions };
  return { id: node.node_id, width: Math.max(90, node.label.length * letter + 44), height };
}

function outermostFolded(
  id: string,
  parents: Map<string, string | null>,
  folded: ReadonlySet<string>,
): string | undefined {
  let found: string | undefined;
  for (let at = parents.get(id) ?? null; at !== null; at = parents.get(at) ?? null) if (folded.has(at)) found = at;
  return found;
}

export function countBoxes(boxes: Box[]): number {
  return boxes.reduce((sum, { children }) => sum + 1 + countBoxes(children ?? []), 0);
}

/** Whether it is so large that boxes could not be read if all of it were seen. */
export function isVast(placed: Placed[]): boolean {
  return placed.some(({ parent, x, y }) => parent === undefined && (x > vast || y > vast));
}

const vast = 3000;

/** All boxes, each after the one that it is in. */
export function placedBoxes(graph: LaidOut, parent?: string): Placed[] {
  return (graph.children ?? []).flatMap((child) => [
    { id: child.id, x: child.x ?? 0, y: child.y ?? 0, width: child.width ?? 0, height: child.height ?? 0, parent },
    ...placedBoxes(child, child.id),
  ]);
}

export type Around = "upstream" | "downstream" | "both";

/** The task itself, what it depends on, what depends on it, and the groups that all of them are in. */
export function related(nodes: Node[], edges: Edge[], task: string, around: Around): ReadonlySet<string> {
  const found = new Set([task]);
  if (around !== "downstream") walk(task, neighbours(edges, "target", "source"), found);
  if (around !== "upstream") walk(task, neighbours(edges, "source", "target"), found);
  const parents = new Map(nodes.map(({ node_id, parent_id }) => [node_id, parent_id]));
  for (const id of [...found]) {
    for (let at = parents.get(id) ?? null; at !== null; at = parents.get(at) ?? null) found.add(at);
  }
  return found;
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

function walk(from: string, next: Map<string, string[]>, found: Set<string>): void {
  const seen = new Set([from]);
  const left = [from];
  for (let at = left.pop(); at !== undefined; at = left.pop()) {
    for (const each of next.get(at) ?? []) {
      if (seen.has(each)) continue;
      seen.add(each);
      found.add(each);
      left.push(each);
    }
  }
}

/** Tasks whose name has the text in it. */
export function matching(nodes: Node[], text: string): string[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return [];
  return nodes.flatMap(({ node_id, label, is_group }) =>
    !is_group && `${node_id} ${label}`.toLowerCase().includes(wanted) ? [node_id] : [],
  );
}

/** Those groups that must be open for a node to be seen. */
export function groupsAround(nodes: Node[], id: string): string[] {
  const parents = new Map(nodes.map(({ node_id, parent_id }) => [node_id, parent_id]));
  const found: string[] = [];
  for (let at = parents.get(id) ?? null; at !== null; at = parents.get(at) ?? null) found.push(at);
  return found;
}
