import { expect, test } from "vitest";

import {
  callbackName,
  deadlineWords,
  fateOf,
  lookOf,
  parseDeadlinesSearch,
  parseSlotsSearch,
  referenceWords,
  slotStates,
} from "./waiting.model";

test("a tick that waits says for what", () => {
  expect(fateOf({ state: "waiting", reason: null, missing: "orders & prices" })).toBe("waits for orders & prices");
  expect(fateOf({ state: "waiting", reason: null, missing: null })).toBe("has all it needs: its run comes at once");
  expect(fateOf({ state: "open", reason: null, missing: null })).toBe("got its run");
  expect(fateOf({ state: "superseded", reason: "catchup is off", missing: null })).toBe(
    "gave way to a later tick: catchup is off",
  );
  expect(fateOf({ state: "expired", reason: "its deadline passed", missing: null })).toBe(
    "expired: its deadline passed",
  );
});

test("each state of a tick has a colour of its own", () => {
  expect(new Set((["waiting", "open", "superseded", "expired"] as const).map(lookOf)).size).toBe(4);
});

test("an address says which ticks and deadlines are shown", () => {
  expect(parseSlotsSearch({ which: "settled" })).toEqual({ which: "settled" });
  expect(parseSlotsSearch({ which: "waiting" })).toEqual({});
  expect(parseSlotsSearch({ which: "?" })).toEqual({});
  expect(parseDeadlinesSearch({ which: "missed" })).toEqual({ which: "missed" });
  expect(parseDeadlinesSearch({ which: 1 })).toEqual({});
  expect(slotStates("waiting")).toEqual(["waiting"]);
  expect(slotStates("settled")).not.toContain("waiting");
  expect(slotStates("all")).toEqual([]);
});

test("a deadline says whether it was missed, and what came of that", () => {
  const words = (missed: boolean, state: string, message: string | null = null) =>
    deadlineWords({ missed, state, message });

  expect(words(false, "ahead")).toBe("to come");
  expect(words(false, "asked")).toBe("its time is being worked out");
  expect(words(true, "pending")).toBe("missed, its callback is to be called");
  expect(words(true, "queued")).toBe("missed, its callback is to be called");
  expect(words(true, "running")).toBe("missed, its callback is being called");
  expect(words(true, "success")).toBe("missed, its callback was called");
  expect(words(true, "failed", "boom")).toBe("missed, and its callback failed: boom");
  expect(words(false, "failed", "no variable")).toBe("its time could not be worked out: no variable");
  expect(referenceWords("DagRunQueuedAtDeadline")).toBe("the run was queued");
  expect(referenceWords("Mine")).toBe("Mine");
});

test("a callback has the name that its author knows", () => {
  expect(callbackName("unusual_prefix_0a1b2c_late.tell")).toBe("late.tell");
  expect(callbackName("airflow.providers.slack.notifications.slack.send")).toBe(
    "airflow.providers.slack.notifications.slack.send",
  );
});
