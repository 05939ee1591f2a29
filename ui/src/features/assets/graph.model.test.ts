import { expect, test } from "vitest";

import { around, box, curve, layOut } from "./graph.model";

const assets = [
  { id: 1, name: "raw" },
  { id: 2, name: "clean" },
];
const uses = [
  { asset_id: 1, dag_id: "load", role: "outlet" },
  { asset_id: 1, dag_id: "wash", role: "schedule" },
  { asset_id: 1, dag_id: "wash", role: "inlet" },
  { asset_id: 2, dag_id: "wash", role: "outlet" },
  { asset_id: 2, dag_id: "report", role: "inlet" },
];

test("what leads to something stands left of it", () => {
  const laid = layOut(assets, uses);
  const x = new Map(laid.nodes.map((node) => [node.title, node.x]));
  const chain = ["load", "raw", "wash", "clean", "report"].map((title) => x.get(title) ?? Number.NaN);

  expect(chain).toEqual([...chain].sort((one, other) => one - other));
  expect(new Set(chain).size).toBe(5);
  expect(x.get("load")).toBe(0);
});

test("what is waited for and read as well is one line, of what is waited for", () => {
  const { edges } = layOut(assets, uses);

  expect(edges).toHaveLength(4);
  expect(edges.find(({ from, to }) => from === "asset 1" && to === "dag wash")?.role).toBe("schedule");
});

test("a circle is drawn, and has an end", () => {
  const laid = layOut(
    [{ id: 1, name: "a" }],
    [
      { asset_id: 1, dag_id: "d", role: "outlet" },
      { asset_id: 1, dag_id: "d", role: "schedule" },
    ],
  );

  expect(laid.nodes).toHaveLength(2);
  expect(laid.edges).toHaveLength(2);
});

test("no two boxes lie on one another, in a graph of two thousand", () => {
  const many = Array.from({ length: 1_000 }, (_, id) => ({ id, name: `a${id}` }));
  const laid = layOut(
    many,
    many.flatMap(({ id }) => [
      { asset_id: id, dag_id: `d${id}`, role: "outlet" },
      { asset_id: id, dag_id: `d${(id + 1) % 1_000}`, role: "schedule" },
    ]),
  );
  const places = new Set(laid.nodes.map(({ x, y }) => `${x} ${y}`));

  expect(places.size).toBe(2_000);
});

test("nothing makes nothing", () => {
  expect(layOut([], [])).toEqual({ nodes: [], edges: [], width: 0, height: 0 });
  expect(layOut([{ id: 1, name: "alone" }], []).nodes).toMatchObject([{ title: "alone", x: 0, y: 0 }]);
});

test("a line goes from the right of one to the left of another", () => {
  const { nodes, edges } = layOut(assets, uses);
  const [load, raw] = ["load", "raw"].map((title) => nodes.find((node) => node.title === title));

  expect(load && raw && curve(load, raw)).toContain(`M ${box.width} `);
  expect([...around("asset 1", edges)].sort()).toEqual(["asset 1", "dag load", "dag wash"]);
});
