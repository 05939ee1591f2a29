import { expect, test } from "vitest";

import { availableTabs, bytes, isSafeLink, shownTry, tabOf, usedBy } from "./task.model";

test("an address names a tab, if there is such", () => {
  const all = availableTabs({ question: true, auditLog: true });

  expect(tabOf("xcom", all)).toBe("xcom");
  expect(tabOf("nothing", all)).toBe("logs");
  expect(tabOf("audit_log", availableTabs({ question: false, auditLog: false }))).toBe("logs");
});

test("the latest try is shown, unless there was the chosen one", () => {
  expect(shownTry(undefined, 3)).toBe(3);
  expect(shownTry(2, 3)).toBe(2);
  expect(shownTry(4, 3)).toBe(3);
  expect(shownTry(0, 3)).toBe(3);
});

test("what an attempt used is told in units", () => {
  expect(bytes(512)).toBe("512 B");
  expect(bytes(1_500)).toBe("1.5 kB");
  expect(bytes(123_456_789)).toBe("123 MB");
  expect(usedBy({ cpu_seconds: 1.234, peak_memory_bytes: null } as never)).toEqual({ cpu: "1.23 s", memory: "" });
});

test("links lead to pages, and run nothing", () => {
  expect(isSafeLink("https://example.com")).toBe(true);
  expect(isSafeLink("/dags")).toBe(true);
  expect(isSafeLink("javascript:alert(1)")).toBe(false);
  expect(isSafeLink(" JaVaScript:alert(1)")).toBe(false);
  expect(isSafeLink("data:text/html,x")).toBe(false);
});
