import { expect, test } from "vitest";

import { Layout, scrollTo, type Wanted, windowAt } from "./layout.model";
import { LogStore } from "./store.model";
import { lineReader } from "./stream.model";

const all: Wanted = { level: 0, source: undefined, areOpen: false, turned: new Set(), columns: undefined };

function filled(count: number): LogStore {
  const store = new LogStore();
  store.add(
    Array.from({ length: count }, (_, number) => ({
      timestamp: new Date(number * 1000).toISOString(),
      level: number % 10 === 9 ? "error" : "info",
      logger: number % 2 ? "task" : "worker",
      event: `line ${number + 1}`,
    })),
  );
  return store;
}

test("rows are found again, in full chunks and in the last one", () => {
  const store = filled(5000);

  expect(store.row(1)).toMatchObject({ text: "line 1", level: "info", source: "worker", at: 0 });
  expect(store.row(2048).text).toBe("line 2048");
  expect(store.row(2049).text).toBe("line 2049");
  expect(store.row(5000)).toMatchObject({ text: "line 5000", level: "error", source: "task" });
  expect([...store.texts()].join("").split("\n")[4999]).toBe("1970-01-01T01:23:19.000Z line 5000");
});

test("a million lines take little more than their text, and what is too much goes from the beginning", () => {
  const store = new LogStore(200_000_000, 100_000);
  for (let number = 0; number < 1000; number += 1) {
    store.add(Array.from({ length: 1000 }, (_, position) => `line ${number * 1000 + position + 1}`));
  }

  expect(store.count).toBe(1_000_000);
  expect(store.first).toBeGreaterThan(890_000);
  expect(store.row(store.first).text).toBe(`line ${store.first}`);
  expect(store.row(1_000_000).text).toBe("line 1000000");
  const layout = new Layout(store, all);
  expect(layout.count).toBe(1_000_000 - store.first + 1);
});

test("a search goes through all chunks, whatever the case and the colours", () => {
  const store = filled(5000);
  store.add(["\u001b[31mLI\u001b[0mNE 4999"]);

  expect([...store.search("line 4999", 1)].flat()).toEqual([4999, 5001]);
  expect([...store.search("line 4999", 5000)].flat()).toEqual([5001]);
});

test("levels and sources are filtered", () => {
  const store = filled(5000);

  const errors = new Layout(store, { ...all, level: 3 });
  expect(errors.count).toBe(500);
  expect(errors.at(0)).toBe(10);
  expect(new Layout(store, { ...all, source: 1 }).count).toBe(2500);
  store.add([{ event: "late", level: "critical" }]);
  errors.extend();
  expect(errors.count).toBe(501);
});

test("groups are folded until they are opened", () => {
  const store = new LogStore();
  store.add(["::group::Sources", "inside", "::endgroup::", "outside"]);

  expect(store.row(1)).toMatchObject({ text: "Sources", group: 1 });
  const folded = new Layout(store, all);
  expect([folded.at(0), folded.at(1), folded.count]).toEqual([1, 3, 2]);
  expect(new Layout(store, { ...all, turned: new Set([1]) }).count).toBe(3);
  expect(new Layout(store, { ...all, areOpen: true }).count).toBe(3);
  expect(new Layout(store, { ...all, areOpen: true, turned: new Set([1]) }).count).toBe(new Layout(store, all).count);
});

test("wrapped lines are as high as they need", () => {
  const store = new LogStore();
  store.add(["x".repeat(25), "", "y"]);
  const layout = new Layout(store, { ...all, columns: 10 });

  expect([layout.top(1), layout.top(2), layout.height]).toEqual([3, 4, 5]);
  expect(layout.positionAt(2)).toBe(0);
  expect(layout.positionAt(3)).toBe(1);
  expect(layout.positionAt(99)).toBe(2);
});

test("only what is in sight is drawn, also of more than browsers can scroll", () => {
  const layout = new Layout(filled(5000), all);
  const window = windowAt(layout, 2000, 400, 20, 5);
  expect(window).toEqual({ height: 100_000, from: 95, to: 126, top: 1900 });

  const tall = new LogStore();
  for (let number = 0; number < 100; number += 1) tall.add(Array.from({ length: 10_000 }, () => "x"));
  const far = new Layout(tall, all);
  const end = windowAt(far, 15_000_000 - 400, 400, 20, 5);
  expect(end.height).toBe(15_000_000);
  expect(end.to).toBe(1_000_000);
  const middle = scrollTo(far, 500_000, 400, 20);
  const seen = windowAt(far, middle, 400, 20, 0);
  expect(seen.from).toBeLessThanOrEqual(500_000);
  expect(seen.to).toBeGreaterThan(500_000);
});

test("lines of JSON may come in pieces", () => {
  const read = lineReader();

  expect(read('{"event":"a"}\n{"eve')).toEqual([{ event: "a" }]);
  expect(read('nt":"b"}\nno json')).toEqual([{ event: "b" }]);
  expect(read("\n")).toEqual(["no json"]);
});
