import { expect, test } from "vitest";

import { keyCaps, Matcher, nameOf } from "./keys";

const key = (name: string, held: Partial<Parameters<typeof nameOf>[0]> = {}) =>
  nameOf({ key: name, ctrlKey: false, metaKey: false, altKey: false, shiftKey: false, ...held });

test("keys have names", () => {
  expect(key("k", { ctrlKey: true })).toBe("mod+k");
  expect(key("K", { metaKey: true, shiftKey: true })).toBe("mod+shift+k");
  expect(key("?", { shiftKey: true })).toBe("?");
  expect(key("C", { shiftKey: true })).toBe("shift+c");
  expect(key("ArrowUp", { shiftKey: true })).toBe("shift+ArrowUp");
  expect(key(" ")).toBe("space");
});

test("one key, or two in time", () => {
  const matcher = new Matcher();
  const known = ["g d", "?", "d"];

  expect(matcher.match("?", known, 0)).toBe("?");
  expect(matcher.match("g", known, 10)).toBeUndefined();
  expect(matcher.match("d", known, 500)).toBe("g d");
  expect(matcher.match("d", known, 600)).toBe("d");
  expect(matcher.match("g", known, 1_000)).toBeUndefined();
  expect(matcher.match("d", known, 9_000), "too late").toBe("d");
  expect(matcher.match("g", known, 10_000)).toBeUndefined();
  expect(matcher.match("x", known, 10_100)).toBeUndefined();
  expect(matcher.match("d", known, 10_200), "something else came between").toBe("d");
});

test("a key that is a shortcut by itself may also be the first of two (A8)", () => {
  const matcher = new Matcher();
  const known = ["g", "g d"];

  expect(matcher.match("g", known, 0)).toBe("g");
  expect(matcher.match("d", known, 100)).toBe("g d");
  expect(matcher.match("g", known, 200)).toBe("g");
  expect(matcher.match("g", known, 300)).toBe("g");
});

test("keys are shown as on the keyboard", () => {
  expect(keyCaps("mod+k", false)).toEqual(["Ctrl", "K"]);
  expect(keyCaps("mod+k", true)).toEqual(["⌘", "K"]);
  expect(keyCaps("g d", false)).toEqual(["G", "D"]);
  expect(keyCaps("shift+ArrowUp", false)).toEqual(["⇧", "↑"]);
  expect(keyCaps("?", false)).toEqual(["?"]);
});
