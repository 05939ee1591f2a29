import { expect, test } from "vitest";

import { type Edge, type Node, wantedLayout } from "./graph.model";
import { layeredBoxes } from "./layers.model";

const node = (node_id: string, parent_id: string | null = null, is_group = false): Node => ({
  node_id,
  label: node_id,
  parent_id,
  is_group,
  is_mapped: false,
});
const edge = (source: string, target: string): Edge => ({ source, target, label: "" });

test("each box is behind all that it depends on, and no two overlap", () => {
  const nodes = ["a", "b", "c", "d"].map((id) => node(id));
  const edges = [edge("a", "b"), edge("a", "c"), edge("b", "d"), edge("c", "d"), edge("a", "d")];

  const placed = new Map(layeredBoxes(wantedLayout(nodes, edges, new Set()), "right").map((box) => [box.id, box]));

  const at = (id: string) => placed.get(id) ?? { x: NaN, y: NaN, width: 0, height: 0 };
  expect(at("a").x).toBeLessThan(at("b").x);
  expect(at("b").x).toBe(at("c").x);
  expect(at("d").x).toBeGreaterThan(at("c").x);
  expect(Math.abs(at("b").y - at("c").y)).toBeGreaterThanOrEqual(at("b").height);
});

test("downwards, layers are one below the other", () => {
  const nodes = [node("a"), node("b")];
  const [a, b] = layeredBoxes(wantedLayout(nodes, [edge("a", "b")], new Set(), "down"), "down");

  expect(b?.y).toBeGreaterThan((a?.y ?? 0) + (a?.height ?? 0));
});

test.each([
  ["left", "x"],
  ["up", "y"],
] as const)("%s, the last layer comes first, within groups as well (A8)", (direction, along) => {
  const nodes = [node("a"), node("g", null, true), node("g.b", "g"), node("g.c", "g"), node("d")];
  const edges = [edge("a", "g.b"), edge("g.b", "g.c"), edge("g.c", "d")];

  const placed = layeredBoxes(wantedLayout(nodes, edges, new Set(), direction), direction);

  const at = (id: string) => placed.find((each) => each.id === id)?.[along] ?? NaN;
  expect(at("d")).toBeLessThan(at("g"));
  expect(at("g")).toBeLessThan(at("a"));
  expect(at("g.c")).toBeLessThan(at("g.b"));
  const group = placed.find(({ id }) => id === "g");
  for (const { x, y, width, height } of placed.filter(({ parent }) => parent === "g")) {
    expect(x).toBeGreaterThanOrEqual(14);
    expect(y).toBeGreaterThanOrEqual(34);
    expect(x + width).toBeLessThanOrEqual((group?.width ?? 0) - 14);
    expect(y + height).toBeLessThanOrEqual((group?.height ?? 0) - 14);
  }
});

test("groups hold their members, and are placed as what hangs on these says", () => {
  const nodes = [node("a"), node("g", null, true), node("g.b", "g"), node("g.c", "g"), node("d")];
  const edges = [edge("a", "g.b"), edge("g.b", "g.c"), edge("g.c", "d")];

  const placed = layeredBoxes(wantedLayout(nodes, edges, new Set()), "right");

  expect(placed.map(({ id, parent }) => [id, parent])).toEqual([
    ["a", undefined],
    ["g", undefined],
    ["g.b", "g"],
    ["g.c", "g"],
    ["d", undefined],
  ]);
  const at = (id: string) => placed.find((each) => each.id === id) ?? { x: NaN, width: NaN };
  expect(at("g").x).toBeGreaterThan(at("a").x);
  expect(at("d").x).toBeGreaterThanOrEqual(at("g").x + at("g").width);
  expect(at("g.c").x + at("g.c").width).toBeLessThanOrEqual(at("g").width);
});

test("groups that wait for each other are placed all the same", () => {
  const nodes = [node("g", null, true), node("g.a", "g"), node("g.b", "g"), node("h", null, true), node("h.c", "h")];

  const placed = layeredBoxes(wantedLayout(nodes, [edge("g.a", "h.c"), edge("h.c", "g.b")], new Set()), "right");

  expect(placed.map(({ id }) => id).sort()).toEqual(["g", "g.a", "g.b", "h", "h.c"]);
});

test("five thousand boxes are placed", () => {
  const nodes = Array.from({ length: 5000 }, (_, number) => node(`t${number}`));
  const edges = nodes
    .slice(50)
    .flatMap((_, number) => [
      edge(`t${number}`, `t${number + 50}`),
      edge(`t${number - (number % 50) + ((number * 7) % 50)}`, `t${number - (number % 50) + 50 + ((number * 3) % 50)}`),
    ]);

  const placed = layeredBoxes(
    wantedLayout(
      nodes,
      edges.filter(({ target }) => Number(target.slice(1)) < 5000),
      new Set(),
    ),
    "right",
  );

  expect(placed).toHaveLength(5000);
  expect(new Set(placed.map(({ x, y }) => `${x} ${y}`)).size).toBe(5000);
});
