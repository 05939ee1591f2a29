import { expect, test } from "vitest";

import { messageOf } from "./line.model";

test("a message shows its fields, and not where in the code it comes from", () => {
  const message = messageOf({
    timestamp: "2026-01-01T00:00:00Z",
    level: "WARNING",
    event: "slow",
    seconds: 3,
    of: "x",
    logger: "task",
    lineno: 4,
  });

  expect(message.lines).toEqual(["slow seconds=3 of=x"]);
  expect(message.level).toBe("warning");
  expect(message.source).toBe("task");
  expect(message.at).toBe(Date.parse("2026-01-01T00:00:00Z"));
});

test("exceptions are written below their message, what came first first", () => {
  const { lines } = messageOf({
    event: "failed",
    level: "error",
    error_detail: [
      { exc_type: "RuntimeError", exc_value: "no", frames: [] },
      { exc_type: "KeyError", exc_value: "'a'", is_cause: true, frames: [{ filename: "d.py", lineno: 3, name: "f" }] },
    ],
  });

  expect(lines).toEqual([
    "failed",
    "Traceback (most recent call last):",
    '  File "d.py", line 3, in f',
    "KeyError: 'a'",
    "",
    "The above exception was the direct cause of the following exception:",
    "",
    "Traceback (most recent call last):",
    "RuntimeError: no",
  ]);
});

test("whatever stands in a log can be shown", () => {
  expect(messageOf("plain").lines).toEqual(["plain"]);
  expect(messageOf(7).lines).toEqual(["7"]);
  expect(messageOf({ event: { odd: 1 }, error_detail: ["no object"], level: 40 })).toMatchObject({
    lines: ['{"odd":1}'],
    level: "info",
  });
  expect(messageOf("10%\r50%\r100%\r").lines).toEqual(["100%"]);
  expect(messageOf("a\u0000b\u0007c\td").lines).toEqual(["abc\td"]);
  expect(messageOf("x".repeat(20_005)).lines[0]).toMatch(/… \(5 more characters\)$/);
});

test("groups begin and end", () => {
  expect(messageOf({ event: "::group::Sources" })).toMatchObject({ group: "begin", lines: ["Sources"] });
  expect(messageOf({ event: "::group::Sources", of: "a" }).lines).toEqual(["Sources", "of=a"]);
  expect(messageOf("::endgroup::").group).toBe("end");
});
