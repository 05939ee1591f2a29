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
  direction: "right" as const,
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

test.each([
  ["right", [0, 18], [100, 18]],
  ["left", [100, 18], [0, 18]],
  ["down", [50, 0], [50, 36]],
  ["up", [50, 36], [50, 0]],
] as const)("%s, lines come in at one side and go out at the other (A8)", (direction, comesIn, goesOut) => {
  const [task] = flowNodes([row("a")], [box("a")], { ...shown, direction });

  expect(task?.handles?.map(({ x, y }) => [x, y])).toEqual([comesIn, goesOut]);
});

test("what is no task has no state, and what prepares or tidies up says so (A8)", () => {
  const [asset, setup] = flowNodes(
    [
      { ...row("asset:x"), label: "x", kind: "asset" },
      { ...row("b"), role: "setup" },
    ],
    [box("asset:x"), box("b")],
    shown,
  );

  expect(asset?.ariaLabel).toBe("asset: x");
  expect(setup?.ariaLabel).toBe("b: no status, setup");
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
