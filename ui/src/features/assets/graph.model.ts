/** Assets and DAGs as a graph from left to right: who updates an asset, the asset, who waits for it or reads it. */

export interface Use {
  asset_id: number;
  dag_id: string;
  /** `outlet`: the DAG updates it; `schedule`: it waits for it; `inlet`: it reads it. */
  role: string;
}

export interface Asset {
  id: number;
  name: string;
}

export interface Node {
  key: string;
  kind: "asset" | "dag";
  title: string;
  /** Of the asset, or of the DAG. */
  id: string;
  x: number;
  y: number;
}

export interface Edge {
  key: string;
  from: string;
  to: string;
  role: string;
}

export interface Laid {
  nodes: Node[];
  edges: Edge[];
  width: number;
  height: number;
}

export const box = { width: 200, height: 36 };
const gap = { x: 72, y: 16 };
const sweeps = 4;

const keyOfAsset = (id: number) => `asset ${id}`;
const keyOfDag = (id: string) => `dag ${id}`;

/** Each node one column further right than what leads to it; within a column, near to what it is connected with. */
export function layOut(assets: readonly Asset[], uses: readonly Use[]): Laid {
  const edges = edgesOf(uses);
  const titles = new Map<string, Omit<Node, "x" | "y" | "key">>();
  for (const { id, name } of assets) titles.set(keyOfAsset(id), { kind: "asset", title: name, id: String(id) });
  for (const { dag_id: id } of uses) titles.set(keyOfDag(id), { kind: "dag", title: id, id });
  const known = edges.filter(({ from, to }) => titles.has(from) && titles.has(to));
  const columns = ordered(columnsOf([...titles.keys()], known), known);
  const tallest = Math.max(0, ...columns.map((column) => column.length));
  const height = Math.max(0, tallest * (box.height + gap.y) - gap.y);
  const nodes = columns.flatMap((column, number) => {
    const top = (height - (column.length * (box.height + gap.y) - gap.y)) / 2;
    return column.flatMap((key, position): Node[] => {
      const node = titles.get(key);
      if (node === undefined) return [];
      return [{ key, ...node, x: number * (box.width + gap.x), y: top + position * (box.height + gap.y) }];
    });
  });
  return { nodes, edges: known, width: Math.max(0, columns.length * (box.width + gap.x) - gap.x), height };
}

/** From left to right; what is waited for and read as well is one line. */
function edgesOf(uses: readonly Use[]): Edge[] {
  const found = new Map<string, Edge>();
  for (const { asset_id: assetId, dag_id: dagId, role } of uses) {
    const ends = [keyOfAsset(assetId), keyOfDag(dagId)] as const;
    const [from, to] = role === "outlet" ? [ends[1], ends[0]] : ends;
    const key = `${from} → ${to}`;
    if (!found.has(key) || role === "schedule") found.set(key, { key, from, to, role });
  }
  return [...found.values()];
}

/** By the longest way that leads there. What leads back to where it came from is left out of account. */
function columnsOf(keys: readonly string[], edges: readonly Edge[]): string[][] {
  const next = new Map<string, string[]>();
  for (const { from, to } of edges) next.set(from, [...(next.get(from) ?? []), to]);
  const { order, back } = inOrder(keys, next);
  const depth = new Map<string, number>();
  for (const key of order) {
    const mine = depth.get(key) ?? 0;
    depth.set(key, mine);
    for (const following of next.get(key) ?? []) {
      if (!back.has(`${key} → ${following}`)) depth.set(following, Math.max(depth.get(following) ?? 0, mine + 1));
    }
  }
  const columns: string[][] = [];
  for (const key of keys) (columns[depth.get(key) ?? 0] ??= []).push(key);
  return columns;
}

/** What leads to something before it; `back`: the edges for which that is not so. Depth first, without recursion: a chain
 * may be thousands long. */
function inOrder(keys: readonly string[], next: ReadonlyMap<string, readonly string[]>) {
  const finished: string[] = [];
  const back = new Set<string>();
  const state = new Map<string, "open" | "done">();
  for (const start of keys) {
    const path = state.has(start) ? [] : [{ key: start, at: 0 }];
    if (path.length > 0) state.set(start, "open");
    for (let last = path.at(-1); last !== undefined; last = path.at(-1)) {
      const following = next.get(last.key)?.[last.at];
      last.at += 1;
      if (following === undefined) {
        state.set(last.key, "done");
        finished.push(last.key);
        path.pop();
      } else if (state.get(following) === "open") {
        back.add(`${last.key} → ${following}`);
      } else if (!state.has(following)) {
        state.set(following, "open");
        path.push({ key: following, at: 0 });
      }
    }
  }
  return { order: finished.reverse(), back };
}

/** Nodes go where the middle of their neighbours is, from left to right and back, a few times. */
function ordered(columns: string[][], edges: readonly Edge[]): string[][] {
  const neighbours = new Map<string, string[]>();
  for (const { from, to } of edges) {
    neighbours.set(from, [...(neighbours.get(from) ?? []), to]);
    neighbours.set(to, [...(neighbours.get(to) ?? []), from]);
  }
  const all = columns.map((column) => [...column].sort((one, other) => one.localeCompare(other)));
  for (let sweep = 0; sweep < sweeps; sweep += 1) {
    const position = new Map(all.flatMap((column) => column.map((key, at) => [key, at / Math.max(1, column.length)])));
    const middle = (key: string) => {
      const found = (neighbours.get(key) ?? []).map((each) => position.get(each) ?? 0);
      return found.length === 0 ? (position.get(key) ?? 0) : found.reduce((sum, each) => sum + each, 0) / found.length;
    };
    for (const column of all) column.sort((one, other) => middle(one) - middle(other));
  }
  return all;
}

/** The curve from the right end of a box to the left end of another. */
export function curve(from: Node, to: Node): string {
  const start = { x: from.x + box.width, y: from.y + box.height / 2 };
  const end = { x: to.x, y: to.y + box.height / 2 };
  const bend = Math.max(32, Math.abs(end.x - start.x) / 2);
  return `M ${start.x} ${start.y} C ${start.x + bend} ${start.y}, ${end.x - bend} ${end.y}, ${end.x} ${end.y}`;
}

/** What is connected with a node directly. */
export function around(key: string, edges: readonly Edge[]): Set<string> {
  return new Set(edges.flatMap(({ from, to }) => (from === key || to === key ? [from, to] : [])));
}
