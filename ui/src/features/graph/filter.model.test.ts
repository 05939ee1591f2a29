import { expect, test } from "vitest";

import { countFilters, graphOf, narrowed, related, tasksWithin } from "./filter.model";
import type { Graph, Node } from "./graph.model";

const node = (node_id: string, parent_id: string | null = null, more: Partial<Node> = {}): Node => ({
  node_id,
  label: node_id,
  parent_id,
  is_group: false,
  is_mapped: false,
  ...more,
});
const group = { is_group: true };
const edge = (source: string, target: string) => ({ source, target, label: "" });

const graph: Graph = {
  rows: [
    node("a", null, { operator: "Bash" }),
    node("g", null, group),
    node("g.h", "g", group),
    node("g.h.b", "g.h", { operator: "Python", is_mapped: true }),
    node("g.c", "g", { operator: "Bash" }),
    node("d", null, { operator: "Python" }),
    node("z"),
  ],
  edges: [edge("a", "g.h.b"), edge("g.h.b", "g.c"), edge("g.c", "d"), edge("a", "d")],
};
const looked = {
  states: new Map([["a", "failed"]]),
  took: new Map([
    ["a", 75],
    ["g.c", 4],
  ]),
  copies: new Map([
    ["a", 1],
    ["g.h.b", 3],
  ]),
  selected: "g.h.b" as string | undefined,
};
const names = ({ rows }: Graph) => rows.map(({ node_id }) => node_id);
const lines = ({ edges }: Graph) =>
  edges.map(({ source, target, isIndirect }) => `${source}${isIndirect ? " ··> " : " -> "}${target}`);

test("around a task is what it depends on and what depends on it, within their groups (A8)", () => {
  expect([...related(graph, "g.h.b", "upstream")].sort()).toEqual(["a", "g", "g.h", "g.h.b"]);
  expect([...related(graph, "a", "downstream")].sort()).toEqual(["a", "d", "g", "g.c", "g.h", "g.h.b"]);
  expect(related(graph, "g.h.b", "both").has("z")).toBe(false);
});

test("the tasks of a group are those of its groups, too", () => {
  expect(tasksWithin(graph.rows, "g")).toEqual(["g.h.b", "g.c"]);
  expect(tasksWithin(graph.rows, "gone")).toEqual([]);
});

test("no further than so many steps, on the shortest way (A8)", () => {
  expect(names(narrowed(graph, { around: "downstream", depth: 1 }, { ...looked, selected: "a" }))).toEqual([
    "a",
    "g",
    "g.h",
    "g.h.b",
    "d",
  ]);
  expect(names(narrowed(graph, { around: "both", depth: 1 }, looked))).toEqual(["a", "g", "g.h", "g.h.b", "g.c"]);
});

test("nothing is around a task that nobody has chosen", () => {
  expect(narrowed(graph, { around: "both" }, { ...looked, selected: undefined })).toBe(graph);
});

test("without a filter it is the same graph, so that nothing is laid out again", () => {
  expect(narrowed(graph, {}, looked)).toBe(graph);
  expect(narrowed(graph, { q: " " }, looked)).toBe(graph);
});

test("what leads from one to another through tasks that are not shown still does (A8)", () => {
  const left = narrowed(graph, { operator: "Bash" }, looked);

  expect(names(left)).toEqual(["a", "g", "g.c"]);
  expect(lines(left)).toEqual(["a ··> g.c"]);
});

test("a line that others say already is left out: else two thousand tasks would have thousands (A8)", () => {
  const layers = Array.from({ length: 40 }, (_, layer) => layer);
  const rows = layers.flatMap((layer) => ["a", "b", "c"].map((name) => node(`${name}${layer}`)));
  const edges = layers
    .slice(1)
    .flatMap((layer) =>
      ["a", "b", "c"].flatMap((to) => ["a", "b", "c"].map((from) => edge(`${from}${layer - 1}`, `${to}${layer}`))),
    );

  const left = narrowed({ rows, edges }, { q: "a" }, looked);

  expect(left.rows).toHaveLength(40);
  expect(lines(left)).toEqual(layers.slice(1).map((layer) => `a${layer - 1} -> a${layer}`));
});

test.each([
  [{ state: "failed" }, ["a"]],
  [{ state: "none", q: "G." }, ["g", "g.h", "g.h.b", "g.c"]],
  [{ group: "g.h" }, ["g", "g.h", "g.h.b"]],
  [{ group: "g", operator: "Bash" }, ["g", "g.c"]],
  [{ operator: "Python", around: "upstream" as const }, ["g", "g.h", "g.h.b"]],
  [{ q: "nothing" }, []],
  [{ took: 4 }, ["a", "g", "g.c"]],
  [{ took: 60 }, ["a"]],
  [{ copy: 0 }, ["g", "g.h", "g.h.b"]],
  [{ copy: 2 }, ["g", "g.h", "g.h.b"]],
  [{ copy: 3 }, []],
])("%j leaves %j (A8)", (filter, left) => {
  expect(names(narrowed(graph, filter, looked))).toEqual(left);
});

test("filters are counted, but not that of steps, which is a part of another", () => {
  expect(countFilters({})).toBe(0);
  expect(countFilters({ q: "", state: undefined, operator: "Bash", around: "both", depth: 2 })).toBe(2);
  expect(countFilters({ took: 60, copy: 0 })).toBe(2);
});

const answer = {
  ...graph,
  roles: { a: "setup" },
  outside: [
    { node_id: "asset:x", kind: "asset" as const, label: "x", target: "3" },
    { node_id: "dag:far", kind: "dag" as const, label: "far", target: "far" },
    { node_id: "dag:other", kind: "dag" as const, label: "other", target: "other" },
  ],
  outside_edges: [
    { source: "d", target: "asset:x" },
    { source: "asset:x", target: "dag:far" },
    { source: "dag:other", target: "z" },
  ],
};

test("what is around the DAG is there if it is wanted, and tasks say what they are for (A8)", () => {
  const tasks = graphOf(answer, false);
  expect(names(tasks)).toEqual(names(graph));
  expect(tasks.rows[0]).toMatchObject({ node_id: "a", role: "setup" });

  const all = graphOf(answer, true);
  expect(names(all).slice(-3)).toEqual(["asset:x", "dag:far", "dag:other"]);
  expect(lines(all)).toContain("asset:x -> dag:far");
});

test("of the outside, what hangs on the tasks that are looked for stays (A8)", () => {
  const left = narrowed(graphOf(answer, true), { operator: "Python" }, looked);

  expect(names(left)).toEqual(["g", "g.h", "g.h.b", "d", "asset:x", "dag:far"]);
  expect(lines(left)).toEqual(["d -> asset:x", "asset:x -> dag:far", "g.h.b ··> d"]);
});

test("two thousand tasks are narrowed at once (A8)", () => {
  const rows = Array.from({ length: 2000 }, (_, number) => node(`t${number}`, null, { operator: `o${number % 2}` }));
  const edges = rows.slice(0, -1).map((_, number) => edge(`t${number}`, `t${number + 1}`));

  const left = narrowed({ rows, edges }, { operator: "o1" }, looked);

  expect(left.rows).toHaveLength(1000);
  expect(left.edges).toHaveLength(999);
});
