import { expect, test } from "vitest";

import { blocks, inline, isHarmless } from "./markdown";

test("documentation has headings, lists, code and tables", () => {
  const source = `# Sales
    Loads *all* **sales**
    of a day.

    - one
    - two
      goes on

    1. first

    \`\`\`
    <b>code</b>
    \`\`\`

    | a | b |
    |---|---|
    | 1 | 2 |

    > quoted

    ---`;

  expect(blocks(source).map(({ kind }) => kind)).toEqual([
    "heading",
    "paragraph",
    "list",
    "list",
    "code",
    "table",
    "quote",
    "rule",
  ]);
  expect(blocks(source)[2]).toEqual({
    kind: "list",
    isOrdered: false,
    items: [[{ kind: "text", text: "one" }], [{ kind: "text", text: "two goes on" }]],
  });
  expect(blocks(source)[4]).toEqual({ kind: "code", text: "<b>code</b>" });
});

test("HTML is text", () => {
  expect(inline("<img src=x onerror=alert(1)>")).toEqual([{ kind: "text", text: "<img src=x onerror=alert(1)>" }]);
});

test("only links that lead to pages are links", () => {
  expect(inline("[here](https://example.com/a_(b))")).toEqual([
    { kind: "link", address: "https://example.com/a_(b)", inner: [{ kind: "text", text: "here" }] },
  ]);
  expect(inline("[here](javascript:alert(1))")[0]?.kind).toBe("text");
  expect(["javascript:x", "data:text/html,x", "//evil", "vbscript:x", " javascript:x"].map(isHarmless)).toEqual([
    false,
    false,
    false,
    false,
    false,
  ]);
  expect(["https://a", "mailto:a@b", "/dags", "#top"].every(isHarmless)).toBe(true);
});

test("names with underscores stay as they are", () => {
  expect(inline("load_all_sales")).toEqual([{ kind: "text", text: "load_all_sales" }]);
  expect(inline("`a_b` and _c_")).toEqual([
    { kind: "code", text: "a_b" },
    { kind: "text", text: " and " },
    { kind: "emphasis", inner: [{ kind: "text", text: "c" }] },
  ]);
});

test("odd texts are read to their end", () => {
  expect(blocks("```\nnever closed")).toEqual([{ kind: "code", text: "never closed" }]);
  expect(blocks("")).toEqual([]);
  expect(blocks("**open")).toEqual([{ kind: "paragraph", inner: [{ kind: "text", text: "**open" }] }]);
});
