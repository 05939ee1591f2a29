/** The graph as the layout engine wants it, and as it comes back. */
import type { Direction } from "~/lib/settings";

export interface Node {
  node_id: string;
  label: string;
  parent_id: string | null;
  is_group: boolean;
  is_mapped: boolean;
  operator?: string | null;
  /** That it prepares something for others, or tidies up after them. */
  role?: string;
  /** That it is no task: something that the DAG has to do with. */
  kind?: "asset" | "alias" | "dag" | "schedule";
  /** The asset or DAG that it is; null where there is none to go to. */
  target?: string | null;
}

export interface Edge {
  source: string;
  target: string;
  label: string;
  /** There are tasks between the two that are not shown. */
  isIndirect?: boolean;
}

export interface Graph {
  rows: Node[];
  edges: Edge[];
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

/** Nodes in a folded group are left out, and what hangs on them hangs on the group. */
export function wantedLayout(
  nodes: Node[],
  edges: Edge[],
  folded: ReadonlySet<string>,
  direction: Direction = "right",
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
      "elk.direction": direction.toUpperCase(),
      "elk.hierarchyHandling": "INCLUDE_CHILDREN",
      // Room for what is written at lines.
      "elk.layered.spacing.nodeNodeBetweenLayers": edges.some(({ label }) => label !== "") ? "96" : "48",
      "elk.spacing.nodeNode": "18",
    },
  };
}

function box(node: Node, children: Box[]): Box {
  if (children.length > 0) return { id: node.node_id, children, layoutOptions: groupOptions };
  const mark = node.role ?? (node.kind === "schedule" ? undefined : node.kind);
  const letters = node.label.length + (mark === undefined ? 0 : mark.length + 1);
  return { id: node.node_id, width: Math.max(node.kind === "schedule" ? 60 : 90, letters * letter + 44), height };
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

/** Tasks whose name has the text in it. */
export function matching(nodes: Node[], text: string): string[] {
  const wanted = text.trim().toLowerCase();
  if (wanted === "") return [];
  return nodes.flatMap(({ node_id, label, is_group, kind }) =>
    !is_group && kind === undefined && `${node_id} ${label}`.toLowerCase().includes(wanted) ? [node_id] : [],
  );
}

/** Those groups that must be open for a node to be seen. */
export function groupsAround(nodes: Node[], id: string): string[] {
  const parents = new Map(nodes.map(({ node_id, parent_id }) => [node_id, parent_id]));
  const found: string[] = [];
  for (let at = parents.get(id) ?? null; at !== null; at = parents.get(at) ?? null) found.push(at);
  return found;
}
