/** Boxes and lines as they are drawn. */
import { type Edge as FlowEdge, type Node as FlowNode, Position } from "@xyflow/react";

import type { Box } from "./BoxNode";
import { type Direction, type Edge, edgeId, type Node, type Placed, type Wanted } from "./graph.model";

export interface Shown {
  states: ReadonlyMap<string, string>;
  copies: ReadonlyMap<string, number>;
  selected: string | undefined;
  found: ReadonlySet<string>;
  direction: Direction;
}

export function flowNodes(rows: Node[], placed: Placed[], shown: Shown): FlowNode<Box>[] {
  const byId = new Map(rows.map((row) => [row.node_id, row]));
  const parents = new Set(placed.map(({ parent }) => parent));
  const isDownwards = shown.direction === "DOWN";
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
      handles: handles(width, height, isDownwards),
      ariaLabel: `${label}: ${state}`,
      ...(parent !== undefined && { parentId: parent }),
      data: {
        label,
        state,
        isGroup: row?.is_group ?? false,
        isMapped: row?.is_mapped ?? false,
        copies: shown.copies.get(id),
        isOpen: parents.has(id),
        isSelected: id === shown.selected,
        isFound: shown.found.has(id),
        isDownwards,
      },
    };
  });
}

function handles(width: number, height: number, isDownwards: boolean): NonNullable<FlowNode["handles"]> {
  const point = { width: 1, height: 1 };
  return isDownwards
    ? [
        { type: "target", position: Position.Top, x: width / 2, y: 0, ...point },
        { type: "source", position: Position.Bottom, x: width / 2, y: height, ...point },
      ]
    : [
        { type: "target", position: Position.Left, x: 0, y: height / 2, ...point },
        { type: "source", position: Position.Right, x: width, y: height / 2, ...point },
      ];
}

export function flowEdges(drawn: Wanted["edges"], edges: Edge[], selected: string | undefined): FlowEdge[] {
  const labels = new Map(edges.map(({ source, target, label }) => [edgeId(source, target), label]));
  return drawn.map(({ id, sources, targets }) => {
    const label = labels.get(id);
    const [source = ""] = sources;
    const [target = ""] = targets;
    const isNear = selected !== undefined && (source === selected || target === selected);
    return { id, source, target, focusable: false, className: isNear ? "near" : "", ...(label && { label }) };
  });
}
