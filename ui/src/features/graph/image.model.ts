/** The graph as a picture: all of it, however much is in sight. */
import { type Edge as FlowEdge, getBezierPath, type Node as FlowNode } from "@xyflow/react";

import type { Direction } from "~/lib/settings";

import { type Box, captionOf, markOf } from "./BoxNode";
import { middleOf, sides } from "./flow.model";

/** What it is painted with. */
export interface Paint {
  card: string;
  ground: string;
  ink: string;
  faint: string;
  line: string;
  edge: string;
  /** By state. */
  states: ReadonlyMap<string, string>;
}

export interface Picture {
  svg: string;
  width: number;
  height: number;
}

interface Area {
  x: number;
  y: number;
  width: number;
  height: number;
}

const margin = 24;
const font = "system-ui, sans-serif";

export function pictureOf(nodes: FlowNode<Box>[], edges: FlowEdge[], direction: Direction, paint: Paint): Picture {
  const areas = areasOf(nodes);
  const all = [...areas.values()];
  const left = Math.min(0, ...all.map(({ x }) => x)) - margin;
  const top = Math.min(0, ...all.map(({ y }) => y)) - margin;
  const width = Math.ceil(Math.max(0, ...all.map((area) => area.x + area.width)) + margin - left);
  const height = Math.ceil(Math.max(0, ...all.map((area) => area.y + area.height)) + margin - top);
  const groups = nodes.filter(({ data }) => data.isOpen);
  const others = nodes.filter(({ data }) => !data.isOpen);
  const parts = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="${left} ${top} ${width} ${height}" font-family="${font}" font-size="13">`,
    `<rect x="${left}" y="${top}" width="${width}" height="${height}" fill="${paint.card}"/>`,
    ...groups.map((node) => groupShape(node.data, areas.get(node.id), paint)),
    ...edges.map((edge) => lineShape(edge, areas, direction, paint)),
    ...others.map((node) => boxShape(node.data, areas.get(node.id), paint)),
    "</svg>",
  ];
  return { svg: parts.join("\n"), width, height };
}

/** Where boxes are, from one corner of the whole. Each comes after the one that it is in. */
function areasOf(nodes: FlowNode<Box>[]): Map<string, Area> {
  const found = new Map<string, Area>();
  for (const { id, parentId, position, width = 0, height = 0 } of nodes) {
    const around = parentId === undefined ? undefined : found.get(parentId);
    found.set(id, { x: position.x + (around?.x ?? 0), y: position.y + (around?.y ?? 0), width, height });
  }
  return found;
}

function groupShape(data: Box, area: Area | undefined, paint: Paint): string {
  if (area === undefined) return "";
  const colour = paint.states.get(data.state) ?? paint.line;
  const frame = rectangle(area, `rx="6" fill="${colour}" fill-opacity="0.05" stroke="${colour}" stroke-opacity="0.55"`);
  return frame + written(captionOf(data), area.x + 12, area.y + 19, paint.ink);
}

function boxShape(data: Box, area: Area | undefined, paint: Paint): string {
  if (area === undefined) return "";
  const middle = area.y + area.height / 2 + 4.5;
  const mark = markOf(data);
  const isOutside = data.kind !== undefined;
  const frame = rectangle(
    area,
    `rx="${isOutside ? area.height / 2 : 6}" fill="${paint.ground}" stroke="${paint.line}"${isOutside ? ' stroke-dasharray="4 3"' : ""}`,
  );
  const stripe = isOutside
    ? ""
    : rectangle({ ...area, width: 6 }, `rx="3" fill="${paint.states.get(data.state) ?? paint.line}"`);
  const side =
    mark === undefined
      ? ""
      : written(mark, area.x + area.width - 12, middle, paint.faint, 'text-anchor="end" font-size="11"');
  return frame + stripe + written(captionOf(data), area.x + 18, middle, paint.ink) + side;
}

function lineShape(edge: FlowEdge, areas: Map<string, Area>, direction: Direction, paint: Paint): string {
  const [from, to] = [areas.get(edge.source), areas.get(edge.target)];
  if (from === undefined || to === undefined) return "";
  const { source, target } = sides[direction];
  const start = middleOf(source, from.width, from.height);
  const end = middleOf(target, to.width, to.height);
  const [path, labelX, labelY] = getBezierPath({
    sourceX: from.x + start.x,
    sourceY: from.y + start.y,
    sourcePosition: source,
    targetX: to.x + end.x,
    targetY: to.y + end.y,
    targetPosition: target,
  });
  const dashes = edge.className?.includes("indirect") ? ' stroke-dasharray="5 4"' : "";
  const line = `<path d="${path}" fill="none" stroke="${paint.edge}" stroke-width="1.25"${dashes}/>`;
  if (typeof edge.label !== "string") return line;
  return line + written(edge.label, labelX, labelY - 5, paint.ink, 'text-anchor="middle" font-size="12"');
}

function rectangle({ x, y, width, height }: Area, rest: string): string {
  return `<rect x="${x}" y="${y}" width="${width}" height="${height}" ${rest}/>`;
}

function written(text: string, x: number, y: number, colour: string, rest = ""): string {
  return `<text x="${x}" y="${y}" fill="${colour}" ${rest}>${escaped(text)}</text>`;
}

const signs: Partial<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };

/** Names are whatever authors wrote; and what XML cannot hold would make a broken file. */
function escaped(text: string): string {
  return text
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "�")
    .replace(/[&<>]/g, (sign) => signs[sign] ?? sign);
}
