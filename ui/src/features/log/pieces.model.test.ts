import { expect, test } from "vitest";

import { parts, withoutColours } from "./ansi.model";
import { pieces } from "./pieces.model";

test("colours and looks are read, other sequences are left out", () => {
  expect(parts("\u001b[1;31mbad\u001b[0m good")).toEqual([
    { text: "bad", isBold: true, ink: "red" },
    { text: " good" },
  ]);
  expect(parts("\u001b[94ma\u001b[39mb\u001b[2Kc")).toEqual([
    { text: "a", ink: "bright-blue" },
    { text: "b" },
    { text: "c" },
  ]);
  expect(withoutColours("\u001b]0;title\u0007\u001b[31mred\u001b[0m")).toBe("red");
});

test("256 colours and all others", () => {
  expect(parts("\u001b[38;5;196ma")[0]?.ink).toBe("rgb(255 0 0)");
  expect(parts("\u001b[38;5;9ma")[0]?.ink).toBe("bright-red");
  expect(parts("\u001b[48;2;1;2;999ma")[0]?.ground).toBe("rgb(1 2 255)");
  expect(parts("\u001b[38;5;244ma")[0]?.ink).toBe("rgb(128 128 128)");
  expect(parts("\u001b[4;44;103ma")[0]).toEqual({ text: "a", isUnderlined: true, ground: "bright-yellow" });
});

test("only addresses of the web are links", () => {
  const drawn = pieces("see https://example.com/a?b=1). javascript:alert(1) <img src=x onerror=alert(1)>", "");

  expect(drawn.filter(({ href }) => href)).toMatchObject([
    { text: "https://example.com/a?b=1", href: "https://example.com/a?b=1" },
  ]);
  expect(drawn.map(({ text }) => text).join("")).toContain("<img src=x onerror=alert(1)>");
});

test("what is searched for is marked, across colours", () => {
  const drawn = pieces("a\u001b[31mbc\u001b[0md", "BCD");

  expect(drawn.map(({ text, isFound }) => [text, isFound])).toEqual([
    ["a", false],
    ["bc", true],
    ["d", true],
  ]);
});
