import { expect, test } from "vitest";

import { changed, type ChosenDag, concerned, counted, forEach, type Outcome } from "./choice.model";

const dag = (dagId: string, isPaused = false): ChosenDag => ({ dagId, title: dagId.toUpperCase(), isPaused });
const choice = changed(new Map(), [dag("a"), dag("b", true), dag("c")], true);
const anybody = () => undefined;

test("what is chosen twice is chosen once, and can be left out again", () => {
  const more = changed(choice, [dag("a", true), dag("d")], true);

  expect([...more.keys()]).toEqual(["a", "b", "c", "d"]);
  expect(more.get("a")?.isPaused).toBe(true);
  expect([...changed(more, [dag("b"), dag("x")], false).keys()]).toEqual(["a", "c", "d"]);
  expect(choice.size).toBe(3);
});

test.each([
  ["pause", ["a", "c"], ["It is paused already."]],
  ["unpause", ["b"], ["It is not paused.", "It is not paused."]],
  ["trigger", ["a", "b", "c"], []],
  ["delete", ["a", "b", "c"], []],
] as const)("%s is about %j", (deed, ids, reasons) => {
  const { dags, others } = concerned(choice, deed, anybody);

  expect(dags.map(({ dagId }) => dagId)).toEqual(ids);
  expect(others.map(({ reason }) => reason)).toEqual(reasons);
});

test("who may not change a DAG is told so, and may still change the others", () => {
  const refusal = (action: string, dagId: string) => (dagId === "c" ? `may not ${action}` : undefined);

  expect(concerned(choice, "clear", refusal).others).toEqual([{ dag: dag("c"), reason: "may not edit" }]);
  expect(concerned(choice, "delete", refusal).others).toEqual([{ dag: dag("c"), reason: "may not delete" }]);
});

test("a failure keeps nobody else from it, and all are told of", async () => {
  const done: string[] = [];
  const told: Outcome[] = [];
  const dags = ["a", "b", "c", "d", "e", "f"].map((dagId) => dag(dagId));

  const outcome = await forEach(
    dags,
    ({ dagId }) => {
      if (dagId === "b") return Promise.reject(new Error("It is gone"));
      done.push(dagId);
      return Promise.resolve();
    },
    (each) => told.push(each),
  );

  expect(done.toSorted()).toEqual(["a", "c", "d", "e", "f"]);
  expect(outcome).toEqual({ over: 6, problems: [{ dagId: "b", message: "It is gone" }] });
  expect(told.map(({ over }) => over)).toEqual([1, 2, 3, 4, 5, 6]);
});

test("no more than a few are asked for at once", async () => {
  let now = 0;
  let most = 0;
  await forEach(
    Array.from({ length: 20 }, (_, number) => dag(String(number))),
    async () => {
      most = Math.max(most, (now += 1));
      await Promise.resolve();
      now -= 1;
    },
    () => undefined,
  );

  expect(most).toBe(4);
});

test("numbers of things", () => {
  expect([counted(1, "DAG"), counted(2, "DAG")]).toEqual(["1 DAG", "2 DAGs"]);
});
