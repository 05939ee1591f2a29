import { expect, test } from "vitest";

import { flowEdges, flowNodes } from "./flow.model";

const row = (node_id: string, parent_id: string | null = null, is_group = false, is_mapped = false) => ({
  node_id,
  label: node_id,
  parent_id,
  is_group,
  is_mapped,
});
const box = (id: string, parent?: string) => ({ id, x: 0, y: 0, width: 100, height: 36, parent });
const shown = {
  states: new Map([["g.a", "failed"]]),
  copies: new Map([["g.a", 7]]),
  selected: "g.a",
  found: new Set<string>(),
  direction: "RIGHT" as const,
};

test("boxes have their state, their copies, and what they are in", () => {
  const [group, task] = flowNodes(
    [row("g", null, true), row("g.a", "g", false, true)],
    [box("g"), box("g.a", "g")],
    shown,
  );

  expect(group?.data).toMatchObject({ isGroup: true, isOpen: true, state: "none" });
  expect(task).toMatchObject({ parentId: "g", ariaLabel: "g.a: failed" });
  expect(task?.data).toMatchObject({ isMapped: true, copies: 7, state: "failed", isSelected: true });
  expect(task?.handles?.map(({ x, y }) => [x, y])).toEqual([
    [0, 18],
    [100, 18],
  ]);
});

test("lines have their labels, and those of the chosen task stand out", () => {
  const edges = [
    { source: "a", target: "b", label: "if it rains" },
    { source: "b", target: "c", label: "" },
  ];
  const drawn = edges.map(({ source, target }) => ({
    id: `${source} → ${target}`,
    sources: [source],
    targets: [target],
  }));

  const [first, second] = flowEdges(drawn, edges, "a");

  expect(first).toMatchObject({ label: "if it rains", className: "near" });
  expect(second).toMatchObject({ className: "" });
  expect(second).not.toHaveProperty("label");
});
