import { expect, test } from "vitest";

import { around, box, type Laid, layOut } from "./graph.model";

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
  expect(laid.nodes.map(({ title }) => title)).toEqual(["load", "raw", "wash", "clean", "report"]);
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
  const { edges } = layOut(assets, uses);

  expect(edges.find(({ from }) => from === "dag load")?.path).toContain(`M ${box.width} `);
  expect([...around("asset 1", edges)].sort()).toEqual(["asset 1", "dag load", "dag wash"]);
});

test("a line that passes a column keeps clear of what stands there", () => {
  const laid = layOut(
    [
      { id: 1, name: "stock" },
      { id: 2, name: "orders" },
    ],
    [
      { asset_id: 1, dag_id: "load_orders", role: "schedule" },
      { asset_id: 2, dag_id: "load_orders", role: "outlet" },
      { asset_id: 2, dag_id: "consume_both", role: "schedule" },
      { asset_id: 1, dag_id: "consume_both", role: "schedule" },
    ],
  );

  expect(laid.edges).toHaveLength(4);
  expect(behindBoxes(laid)).toEqual([]);
});

test("a line that leads back goes around, and stays in the picture", () => {
  const laid = layOut(assets, [...uses, { asset_id: 2, dag_id: "load", role: "schedule" }]);
  const points = laid.edges.flatMap(({ path }) => pointsOf(path));

  expect(behindBoxes(laid)).toEqual([]);
  expect(points.filter(({ x }) => x < 0 || x > laid.width)).toEqual([]);
});

test("no line runs behind a box, whatever is connected with what", () => {
  const many = Array.from({ length: 60 }, (_, id) => ({ id, name: `a${id}` }));
  const tangle = many.flatMap(({ id }) => [
    { asset_id: id, dag_id: `d${id}`, role: "outlet" },
    { asset_id: id, dag_id: `d${(id * 7) % 60}`, role: "schedule" },
    { asset_id: id, dag_id: `d${(id + 1 + (id % 3)) % 60}`, role: "schedule" },
    { asset_id: id, dag_id: `d${(id * id) % 60}`, role: "inlet" },
  ]);
  const laid = layOut(many, tangle);

  expect(laid.edges.length).toBeGreaterThan(200);
  expect(behindBoxes(laid)).toEqual([]);
});

/** Which lines pass which boxes, their own ones included. */
function behindBoxes({ nodes, edges }: Laid): string[] {
  return edges.flatMap(({ key, path }) => {
    const points = pointsOf(path);
    const passed = nodes.filter((node) => points.some((point) => isWithin(point, node)));
    return passed.map(({ title }) => `${key} passes ${title}`);
  });
}

interface Point {
  x: number;
  y: number;
}

function isWithin({ x, y }: Point, node: Point): boolean {
  return x > node.x && x < node.x + box.width && y > node.y && y < node.y + box.height;
}

/** Points along a line as it is painted: `M x y`, then curves `C x y, x y, x y` and level pieces `H x`. */
function pointsOf(path: string): Point[] {
  const found: Point[] = [];
  for (const [, command, words = ""] of path.matchAll(/([MCH])([^MCH]*)/g)) {
    const numbers = [...words.matchAll(/-?[\d.]+/g)].map(Number);
    const [x = Number.NaN, y = Number.NaN] = numbers;
    const from = found.at(-1);
    if (from === undefined) found.push({ x, y });
    else if (command === "C") found.push(...alongCurve(from, numbers));
    else found.push(...alongCurve(from, [from.x, from.y, x, from.y, x, from.y]));
  }
  return found;
}

function alongCurve(from: Point, corners: number[]): Point[] {
  const at = (start: number, [one = Number.NaN, two = Number.NaN, end = Number.NaN]: number[], part: number) => {
    const left = 1 - part;
    return left ** 3 * start + 3 * left ** 2 * part * one + 3 * left * part ** 2 * two + part ** 3 * end;
  };
  const [across, down] = [0, 1].map((axis) => corners.filter((_, number) => number % 2 === axis));
  return Array.from({ length: 51 }, (_, step) => ({
    x: at(from.x, across ?? [], step / 50),
    y: at(from.y, down ?? [], step / 50),
  }));
}
