/**
 * Where boxes go, for graphs that are too large for the layout engine, which takes seconds for a thousand boxes: each box in the
 * layer after the last of those that it depends on, and within its layer near those. Groups are laid out by themselves
 * and then are boxes like others.
 */
import type { Direction } from "~/lib/settings";

import type { Box, Placed, Wanted } from "./graph.model";

const betweenLayers = 48;
const betweenBoxes = 18;
const padding = { top: 34, other: 14 };
const sweeps = 4;

interface Sized {
  id: string;
  width: number;
  height: number;
  inner: Placed[];
}

export function layeredBoxes(wanted: Wanted, direction: Direction): Placed[] {
  const edges = wanted.edges.map(({ sources, targets }) => [sources[0] ?? "", targets[0] ?? ""] as const);
  return laidOut(wanted.children, edges, direction, undefined).inner;
}

type Ends = readonly (readonly [string, string])[];

function laidOut(boxes: Box[], edges: Ends, direction: Direction, parent: string | undefined): Sized {
  const sized = boxes.map((box) => ofBox(box, edges, direction));
  const home = new Map(
    sized.flatMap((box) => [[box.id, box.id], ...box.inner.map((each) => [each.id, box.id])] as const) as [
      string,
      string,
    ][],
  );
  const between = edges.flatMap(([source, target]) => {
    const ends = [home.get(source), home.get(target)] as const;
    return ends[0] !== undefined && ends[1] !== undefined && ends[0] !== ends[1] ? [ends as [string, string]] : [];
  });
  return placed(sized, ordered(layersOf(sized, between), between), direction, parent);
}

function ofBox(box: Box, edges: Ends, direction: Direction): Sized {
  if (box.children === undefined) {
    return { id: box.id, width: box.width ?? 0, height: box.height ?? 0, inner: [] };
  }
  return { ...laidOut(box.children, edges, direction, box.id), id: box.id };
}

/** Each after the last of those before it. What is in a circle, which only groups can be, is where it was first met. */
function layersOf(boxes: Sized[], edges: [string, string][]): Sized[][] {
  const layer = depths(
    boxes.map(({ id }) => id),
    edges,
  );
  const found: Sized[][] = [];
  for (const box of boxes) (found[layer.get(box.id) ?? 0] ??= []).push(box);
  return Array.from(found, (each: Sized[] | undefined) => each ?? []);
}

function depths(ids: string[], edges: [string, string][]): Map<string, number> {
  const after = grouped(edges);
  const waiting = new Map<string, number>();
  for (const [, target] of edges) waiting.set(target, (waiting.get(target) ?? 0) + 1);
  const depth = new Map<string, number>();
  const ready = ids.filter((id) => !waiting.has(id));
  for (const id of ready) {
    const own = depth.get(id) ?? 0;
    for (const next of after.get(id) ?? []) {
      depth.set(next, Math.max(depth.get(next) ?? 0, own + 1));
      const left = (waiting.get(next) ?? 1) - 1;
      waiting.set(next, left);
      if (left === 0) ready.push(next);
    }
  }
  return depth;
}

/** Within its layer, each box is where the middle of its neighbours is: to and fro a few times. */
function ordered(layers: Sized[][], edges: [string, string][]): Sized[][] {
  const found = layers.map((layer) => [...layer]);
  const before = grouped(edges.map(([source, target]) => [target, source]));
  const after = grouped(edges);
  const place = new Map<string, number>();
  const note = (layer: Sized[]) => {
    layer.forEach(({ id }, number) => place.set(id, number / layer.length));
  };
  found.forEach(note);
  for (let sweep = 0; sweep < sweeps; sweep += 1) {
    const isForward = sweep % 2 === 0;
    for (const layer of isForward ? found : [...found].reverse()) {
      const centre = new Map(layer.map(({ id }) => [id, middle((isForward ? before : after).get(id), place, id)]));
      layer.sort((one, other) => (centre.get(one.id) ?? 0) - (centre.get(other.id) ?? 0));
      note(layer);
    }
  }
  return found;
}

function grouped(pairs: [string, string][]): Map<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [from, to] of pairs) {
    const known = found.get(from);
    if (known === undefined) found.set(from, [to]);
    else known.push(to);
  }
  return found;
}

function middle(ids: string[] | undefined, place: Map<string, number>, self: string): number {
  if (ids === undefined || ids.length === 0) return place.get(self) ?? 0;
  return ids.reduce((sum, id) => sum + (place.get(id) ?? 0), 0) / ids.length;
}

/** Layers side by side, boxes of a layer one below the other, around one middle line. */
function placed(boxes: Sized[], layers: Sized[][], direction: Direction, parent: string | undefined): Sized {
  const isAcross = direction === "right" || direction === "left";
  const along = (box: Sized) => (isAcross ? box.width : box.height);
  const beside = (box: Sized) => (isAcross ? box.height : box.width);
  const breadth = (layer: Sized[]) =>
    layer.reduce((sum, box) => sum + beside(box), 0) + betweenBoxes * Math.max(0, layer.length - 1);
  const widest = Math.max(0, ...layers.map(breadth));
  const start = parent === undefined ? { x: 0, y: 0 } : { x: padding.other, y: padding.top };
  let inner: Placed[] = [];
  let depth = 0;
  for (const layer of layers) {
    let position = (widest - breadth(layer)) / 2;
    for (const box of layer) {
      const [x, y] = isAcross ? [depth, position] : [position, depth];
      inner.push({ id: box.id, x: start.x + x, y: start.y + y, width: box.width, height: box.height, parent });
      inner.push(...box.inner);
      position += beside(box) + betweenBoxes;
    }
    depth += Math.max(0, ...layer.map(along)) + betweenLayers;
  }
  const length = Math.max(0, depth - betweenLayers);
  const [width, height] = isAcross ? [length, widest] : [widest, length];
  inner = inner.map((each) => (each.parent === parent ? turned(each, direction, start, { width, height }) : each));
  const around =
    parent === undefined || boxes.length === 0
      ? { x: 0, y: 0 }
      : { x: 2 * padding.other, y: padding.top + padding.other };
  return { id: parent ?? "", width: width + around.x, height: height + around.y, inner };
}

/** Where it leads to the left or upwards, the first layer is the last: what was at one end is at the other. */
function turned(
  box: Placed,
  direction: Direction,
  start: { x: number; y: number },
  size: { width: number; height: number },
): Placed {
  if (direction === "left") return { ...box, x: start.x + size.width - (box.x - start.x) - box.width };
  if (direction === "up") return { ...box, y: start.y + size.height - (box.y - start.y) - box.height };
  return box;
}
