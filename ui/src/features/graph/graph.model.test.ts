import { expect, test } from "vitest";

import { countBoxes, groupsAround, isVast, matching, type Node, placedBoxes, wantedLayout } from "./graph.model";

const node = (node_id: string, parent_id: string | null = null, is_group = false): Node => ({
  node_id,
  label: node_id,
  parent_id,
  is_group,
  is_mapped: false,
});

const nodes = [node("a"), node("g", null, true), node("g.h", "g", true), node("g.h.b", "g.h"), node("g.c", "g")];
const edges = [
  { source: "a", target: "g.h.b", label: "" },
  { source: "g.h.b", target: "g.c", label: "" },
];

test("groups hold their members", () => {
  const { children, edges: drawn } = wantedLayout(nodes, edges, new Set());

  expect(children.map(({ id }) => id)).toEqual(["a", "g"]);
  expect(children[1]?.children?.map(({ id }) => id)).toEqual(["g.h", "g.c"]);
  expect(drawn.map(({ id }) => id)).toEqual(["a → g.h.b", "g.h.b → g.c"]);
});

test("what hangs on members of a folded group hangs on the group", () => {
  const { children, edges: drawn } = wantedLayout(nodes, edges, new Set(["g", "g.h"]));

  expect(children.map(({ id, children: inner }) => [id, inner])).toEqual([
    ["a", undefined],
    ["g", undefined],
  ]);
  expect(drawn.map(({ id }) => id)).toEqual(["a → g"]);
});

test("placed boxes know what they are in", () => {
  const laidOut = { id: "", children: [{ id: "g", x: 1, children: [{ id: "g.a", y: 2 }] }] };

  expect(placedBoxes(laidOut).map(({ id, parent }) => [id, parent])).toEqual([
    ["g", undefined],
    ["g.a", "g"],
  ]);
});

test("tasks are found by a part of their name, groups are not", () => {
  expect(matching(nodes, "H.B ")).toEqual(["g.h.b"]);
  expect(matching(nodes, "g")).toEqual(["g.h.b", "g.c"]);
  expect(matching(nodes, " ")).toEqual([]);
});

test("a task is seen when all groups around it are open", () => {
  expect(groupsAround(nodes, "g.h.b")).toEqual(["g.h", "g"]);
  expect(groupsAround(nodes, "a")).toEqual([]);
});

test("boxes are counted with those within", () => {
  expect(countBoxes(wantedLayout(nodes, edges, new Set()).children)).toBe(5);
  expect(countBoxes(wantedLayout(nodes, edges, new Set(["g"])).children)).toBe(2);
});

test("what is too wide to be read as a whole is vast", () => {
  const box = (x: number, parent?: string) => ({ id: "a", x, y: 0, width: 9, height: 9, parent });

  expect(isVast([box(2000)])).toBe(false);
  expect(isVast([box(5000)])).toBe(true);
  expect(isVast([box(5000, "g")])).toBe(false);
});
