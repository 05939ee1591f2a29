import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { afterEach, beforeEach, expect, test } from "vitest";

import { Refresh } from "./refresh";

let client: QueryClient;
let refresh: Refresh;
/** Ends each load in turn. */
let answers: ((value: string) => void)[];
let cancelled: number;

beforeEach(() => {
  client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  refresh = new Refresh(client);
  answers = [];
  cancelled = 0;
});

afterEach(() => {
  refresh.stop();
  client.clear();
});

/** Show it, as a page does. */
function shown() {
  const observer = new QueryObserver(client, {
    queryKey: ["grid"],
    queryFn: ({ signal }) =>
      new Promise<string>((resolve) => {
        signal.addEventListener("abort", () => (cancelled += 1));
        answers.push(resolve);
      }),
  });
  const stop = observer.subscribe(() => undefined);
  return { stop, value: () => observer.getCurrentResult().data };
}

async function answer(position: number, value: string): Promise<void> {
  answers[position]?.(value);
  // What follows from an answer is done in turns of the event loop of its own.
  await new Promise((resolve) => setTimeout(resolve));
  await new Promise((resolve) => setTimeout(resolve));
}

test("what is on its way comes in, however often something changes meanwhile, and is loaded once more", async () => {
  const { value } = shown();
  await answer(0, "first");
  for (let change = 0; change < 5; change += 1) refresh.of(() => true);

  await answer(1, "second");
  expect(value()).toBe("second");
  expect(answers).toHaveLength(3);
  await answer(2, "third");

  expect(value()).toBe("third");
  expect(answers).toHaveLength(3);
  expect(cancelled).toBe(0);
});

test("a change during the first load is not missed", async () => {
  const { value } = shown();
  refresh.of(() => true);
  await answer(0, "first");

  await answer(1, "second");

  expect(value()).toBe("second");
});

test("what the change is not about is left alone", async () => {
  shown();
  await answer(0, "first");

  refresh.of(({ queryKey }) => queryKey[0] === "dags");

  expect(answers).toHaveLength(1);
});

test("what nobody looks at any more is loaded when it is shown again", async () => {
  const { stop } = shown();
  await answer(0, "first");
  stop();
  refresh.of(() => true);
  expect(answers).toHaveLength(1);

  shown();

  expect(answers).toHaveLength(2);
});
