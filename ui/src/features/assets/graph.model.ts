/** Assets and DAGs as a graph from left to right: who updates an asset, the asset, who waits for it or reads it. */
import { laned, type Link, pathOf, type Way } from "./lanes.model";

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

interface Connection extends Link {
  key: string;
  role: string;
}

export interface Edge extends Connection {
  /** Its line, as SVG. */
  path: string;
}

export interface Laid {
  /** From left to right, each column from its top: so whoever walks by keys comes to them. */
  nodes: Node[];
  edges: Edge[];
  width: number;
  height: number;
}

export const box = { width: 200, height: 36 };
const gap = { x: 72, y: 16 };
/** A line is thinner: at the edge of the picture, all of it is to be seen. */
const laneHeight = 4;
/** Lines bend between columns only. */
const bend = gap.x / 2;
const sweeps = 4;

const keyOfAsset = (id: number) => `asset ${id}`;
const keyOfDag = (id: string) => `dag ${id}`;

/** Each node one column further right than what leads to it; within a column, near to what it is connected with. */
export function layOut(assets: readonly Asset[], uses: readonly Use[]): Laid {
  const titles = new Map<string, Omit<Node, "x" | "y" | "key">>();
  for (const { id, name } of assets) titles.set(keyOfAsset(id), { kind: "asset", title: name, id: String(id) });
  for (const { dag_id: id } of uses) titles.set(keyOfDag(id), { kind: "dag", title: id, id });
  const known = connectionsOf(uses).filter(({ from, to }) => titles.has(from) && titles.has(to));
  const { columns, links, ways } = laned(columnsOf([...titles.keys()], known), known);
  const isAround = [...ways.values()].some(({ isBack }) => isBack);
  const { places, width, height } = placed(ordered(columns, links), (key) => titles.has(key), isAround);
  const nodes = [...places].flatMap(([key, { x, middle }]): Node[] => {
    const node = titles.get(key);
    return node ? [{ key, ...node, x, y: middle - box.height / 2 }] : [];
  });
  const edges = known.map((each) => ({ ...each, path: lineOf(ways.get(each.key), places) }));
  return { nodes, edges, width, height };
}

interface Place {
  x: number;
  middle: number;
}

/** Columns side by side, each in the middle of the height. `isAround`: with room beside the first and the last one. */
function placed(columns: readonly string[][], isBox: (key: string) => boolean, isAround: boolean) {
  const heightOf = (key: string) => (isBox(key) ? box.height : laneHeight);
  const heights = columns.map((column) => column.reduce((sum, key) => sum + heightOf(key) + gap.y, -gap.y));
  const height = Math.max(0, ...heights);
  const margin = isAround ? bend : 0;
  const places = new Map<string, Place>();
  columns.forEach((column, number) => {
    let top = (height - (heights[number] ?? 0)) / 2;
    for (const key of column) {
      places.set(key, { x: margin + number * (box.width + gap.x), middle: top + heightOf(key) / 2 });
      top += heightOf(key) + gap.y;
    }
  });
  return { places, width: Math.max(0, columns.length * (box.width + gap.x) - gap.x) + 2 * margin, height };
}

function lineOf(way: Way | undefined, places: ReadonlyMap<string, Place>): string {
  const { stops = [], isBack = false } = way ?? {};
  const passes = stops.map((key, position) => {
    const { x, middle } = places.get(key) ?? { x: 0, middle: 0 };
    const isLane = position > 0 && position < stops.length - 1;
    const [left, right] = [x, x + box.width];
    return isBack && isLane ? { enters: right, leaves: left, y: middle } : { enters: left, leaves: right, y: middle };
  });
  return pathOf(passes, bend);
}

/** From left to right; what is waited for and read as well is one line. */
function connectionsOf(uses: readonly Use[]): Connection[] {
  const found = new Map<string, Connection>();
  for (const { asset_id: assetId, dag_id: dagId, role } of uses) {
    const ends = [keyOfAsset(assetId), keyOfDag(dagId)] as const;
    const [from, to] = role === "outlet" ? [ends[1], ends[0]] : ends;
    const key = `${from} → ${to}`;
    if (!found.has(key) || role === "schedule") found.set(key, { key, from, to, role });
  }
  return [...found.values()];
}

/** By the longest way that leads there. What leads back to where it came from is left out of account. */
function columnsOf(keys: readonly string[], edges: readonly Link[]): string[][] {
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
function ordered(columns: string[][], edges: readonly Link[]): string[][] {
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
    const middles = new Map([...position.keys()].map((key) => [key, middle(key)]));
    for (const column of all) column.sort((one, other) => (middles.get(one) ?? 0) - (middles.get(other) ?? 0));
  }
  return all;
}

/** What is connected with a node directly. */
export function around(key: string, edges: readonly Link[]): Set<string> {
  return new Set(edges.flatMap(({ from, to }) => (from === key || to === key ? [from, to] : [])));
}
