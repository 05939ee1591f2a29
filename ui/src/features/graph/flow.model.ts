/** Boxes and lines as they are drawn. */
import { type Edge as FlowEdge, type Node as FlowNode, Position } from "@xyflow/react";

import type { Direction } from "~/lib/settings";
import { stateName } from "~/lib/states";

import type { Box } from "./BoxNode";
import { type Edge, edgeId, type Node, type Placed, type Wanted } from "./graph.model";

export interface Shown {
  states: ReadonlyMap<string, string>;
  copies: ReadonlyMap<string, number>;
  selected: string | undefined;
  found: ReadonlySet<string>;
  direction: Direction;
}

/** Where lines come in and go out. */
export const sides: Record<Direction, { target: Position; source: Position }> = {
  right: { target: Position.Left, source: Position.Right },
  left: { target: Position.Right, source: Position.Left },
  down: { target: Position.Top, source: Position.Bottom },
  up: { target: Position.Bottom, source: Position.Top },
};

export function flowNodes(rows: Node[], placed: Placed[], shown: Shown): FlowNode<Box>[] {
  const byId = new Map(rows.map((row) => [row.node_id, row]));
  const parents = new Set(placed.map(({ parent }) => parent));
  return placed.map(({ id, x, y, width, height, parent }) => {
    const row = byId.get(id);
    const label = row?.label ?? id;
    const state = shown.states.get(id) ?? "none";
    return {
      id,
      type: "box",
      position: { x, y },
      width,
      height,
      measured: { width, height },
      // Known beforehand, so that lines to boxes that are out of sight can be drawn.
      handles: handles(width, height, shown.direction),
      ariaLabel: words(row, label, state),
      ...(parent !== undefined && { parentId: parent }),
      data: {
        label,
        state,
        words: words(row, label, state),
        kind: row?.kind,
        role: row?.role,
        isGroup: row?.is_group ?? false,
        isMapped: row?.is_mapped ?? false,
        copies: shown.copies.get(id),
        isOpen: parents.has(id),
        isSelected: id === shown.selected,
        isFound: shown.found.has(id),
        direction: shown.direction,
      },
    };
  });
}

const kinds = { asset: "asset", alias: "asset alias", dag: "DAG", schedule: "schedule" };

/** What it is, in words. */
function words(row: Node | undefined, label: string, state: string): string {
  if (row?.kind === "schedule") return label === kinds.schedule ? label : `schedule: ${label}`;
  if (row?.kind !== undefined) return `${kinds[row.kind]}: ${label}`;
  return `${label}: ${stateName(state)}${row?.role === undefined ? "" : `, ${row.role}`}`;
}

/** Where on the edge of a box of that size a side has its middle. */
export function middleOf(side: Position, width: number, height: number): { x: number; y: number } {
  if (side === Position.Left) return { x: 0, y: height / 2 };
  if (side === Position.Right) return { x: width, y: height / 2 };
  return { x: width / 2, y: side === Position.Top ? 0 : height };
}

function handles(width: number, height: number, direction: Direction): NonNullable<FlowNode["handles"]> {
  const point = { width: 1, height: 1 };
  const { target, source } = sides[direction];
  return [
    { type: "target", position: target, ...middleOf(target, width, height), ...point },
    { type: "source", position: source, ...middleOf(source, width, height), ...point },
  ];
}

export function flowEdges(drawn: Wanted["edges"], edges: Edge[], selected: string | undefined): FlowEdge[] {
  const known = new Map(edges.map((edge) => [edgeId(edge.source, edge.target), edge]));
  return drawn.map(({ id, sources, targets }) => {
    const edge = known.get(id);
    const [source = ""] = sources;
    const [target = ""] = targets;
    const isNear = selected !== undefined && (source === selected || target === selected);
    const className = [isNear && "near", edge?.isIndirect && "indirect"].filter(Boolean).join(" ");
    return { id, source, target, focusable: false, className, ...(edge?.label && { label: edge.label }) };
  });
}
