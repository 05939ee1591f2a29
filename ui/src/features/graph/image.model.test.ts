import { expect, test } from "vitest";

import { evil } from "~/test/rendered";

import { flowEdges, flowNodes } from "./flow.model";
import type { Node } from "./graph.model";
import { type Paint, pictureOf } from "./image.model";

const paint: Paint = {
  card: "white",
  ground: "snow",
  ink: "black",
  faint: "gray",
  line: "silver",
  edge: "dimgray",
  states: new Map([["failed", "crimson"]]),
};
const row = (node_id: string, more: Partial<Node> = {}): Node => ({
  node_id,
  label: node_id,
  parent_id: null,
  is_group: false,
  is_mapped: false,
  ...more,
});
const rows = [
  row("g", { is_group: true }),
  row("g.a", { parent_id: "g", role: "setup" }),
  row(evil),
  row("asset:x", { label: "x", kind: "asset" }),
];
const boxes = [
  { id: "g", x: 10, y: 20, width: 200, height: 100, parent: undefined },
  { id: "g.a", x: 14, y: 34, width: 100, height: 36, parent: "g" },
  { id: evil, x: 300, y: 20, width: 120, height: 36, parent: undefined },
  { id: "asset:x", x: 300, y: 80, width: 120, height: 36, parent: undefined },
];
const edge = { source: "g.a", target: evil, label: "if <b> & \u0000", isIndirect: true };

function picture() {
  const shown = {
    states: new Map([["g.a", "failed"]]),
    copies: new Map<string, number>(),
    selected: undefined,
    found: new Set<string>(),
    direction: "right" as const,
  };
  const drawn = [{ id: `g.a → ${evil}`, sources: ["g.a"], targets: [evil] }];
  return pictureOf(flowNodes(rows, boxes, shown), flowEdges(drawn, [edge], undefined), "right", paint);
}

test("a picture has all boxes where they are, with their states, and lines between them (A8)", () => {
  const { svg, width, height } = picture();

  expect([width, height]).toEqual([420 + 48, 120 + 48]);
  expect(svg).toContain('<rect x="24" y="54" width="100" height="36" rx="6"');
  expect(svg).toContain('<rect x="24" y="54" width="6" height="36" rx="3" fill="crimson"/>');
  expect(svg).toMatch(/<path d="M124,72 C.* 300,38"/);
  expect(svg).toContain('stroke-dasharray="5 4"');
  expect(svg).toContain(">setup</text>");
  expect(svg).toContain(">asset</text>");
});

test("names are text in a picture, too, whatever they are (A8)", () => {
  const { svg } = picture();

  expect(svg).not.toContain("<img");
  expect(svg).toContain("&lt;img");
  expect(svg).toContain("if &lt;b&gt; &amp; �");
});

test("a picture of nothing is small", () => {
  expect(pictureOf([], [], "down", paint)).toMatchObject({ width: 48, height: 48 });
});
