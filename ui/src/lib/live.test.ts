import { afterEach, expect, test, vi } from "vitest";

import { type Change, type Contact, gather, streamAddress, watch, type World } from "./live";

afterEach(() => {
  vi.useRealTimers();
});

test("changes that come together are told together", () => {
  vi.useFakeTimers();
  const told: (Change[] | null)[] = [];
  const take = gather((changes) => told.push(changes));

  take({ kind: "dag", dag_id: "a" });
  take({ kind: "dag", dag_id: "b" });
  vi.advanceTimersByTime(100);
  take({ kind: "dag", dag_id: "c" });
  vi.advanceTimersByTime(100);

  expect(told).toEqual([
    [
      { kind: "dag", dag_id: "a" },
      { kind: "dag", dag_id: "b" },
    ],
    [{ kind: "dag", dag_id: "c" }],
  ]);
});

/** A server whose stream does what the test says, and a clock that rings when the test says. */
class Scene {
  /** Whether each one was to begin with what has changed since the page was served. */
  begins: boolean[] = [];
  streams: { listeners: Map<string, (event: MessageEvent<string>) => void>; readyState: number }[] = [];
  isThere = true;
  alarm: (() => void) | undefined;
  contacts: Contact[] = [];
  loads = 0;

  world: World = {
    open: (isFirst) => {
      this.begins.push(isFirst);
      const listeners = new Map<string, (event: MessageEvent<string>) => void>();
      const stream = { listeners, readyState: 0, close: () => undefined };
      this.streams.push(stream);
      return {
        addEventListener: (name, listener) => listeners.set(name, listener),
        close: stream.close,
        get readyState() {
          return stream.readyState;
        },
      };
    },
    answers: () => Promise.resolve(this.isThere),
    after: (_, work) => {
      this.alarm = work;
      return () => {
        this.alarm = undefined;
      };
    },
  };

  stop = watch(
    (changes) => {
      if (changes === null) this.loads += 1;
    },
    (contact) => this.contacts.push(contact),
    this.world,
  );

  say(name: "open" | "error"): void {
    this.streams.at(-1)?.listeners.get(name)?.(new MessageEvent(name));
  }

  async ring(): Promise<void> {
    const work = this.alarm;
    this.alarm = undefined;
    work?.();
    await Promise.resolve();
    await Promise.resolve();
  }
}

test("a stream that works is all that is needed", () => {
  const scene = new Scene();

  scene.say("open");

  expect(scene.contacts).toEqual(["live"]);
  expect(scene.alarm).toBeUndefined();
  expect(scene.loads).toBe(0);
});

test("where no stream begins, the page looks for itself, and asks again for a stream that was refused", async () => {
  const scene = new Scene();

  scene.say("error");
  await scene.ring();
  const refused = scene.streams[0];
  if (refused) refused.readyState = 2;
  await scene.ring();

  expect(scene.contacts).toEqual(["polling", "polling"]);
  expect(scene.loads).toBe(2);
  expect(scene.begins, "all has been loaded anew since the first one").toEqual([true, false]);

  scene.say("open");

  expect(scene.contacts.at(-1)).toBe("live");
  expect(scene.loads, "what changed since then").toBe(3);
  expect(scene.alarm).toBeUndefined();
});

test("a server that is gone is said to be gone, until it is there again", async () => {
  const scene = new Scene();
  scene.say("open");

  scene.isThere = false;
  scene.say("error");
  const first = scene.alarm;
  scene.say("error");
  expect(scene.alarm, "failed attempts do not put the look off").toBe(first);
  await scene.ring();

  expect(scene.contacts).toEqual(["live", "lost"]);
  expect(scene.loads).toBe(0);

  scene.isThere = true;
  await scene.ring();
  scene.say("open");

  expect(scene.contacts).toEqual(["live", "lost", "polling", "live"]);
});

test("a look that comes back after the stream has begun changes nothing", async () => {
  const scene = new Scene();

  const ringing = scene.ring();
  scene.say("open");
  await ringing;

  expect(scene.contacts).toEqual(["live"]);
  expect(scene.alarm).toBeUndefined();
});

test("who has stopped hears nothing", async () => {
  const scene = new Scene();

  const ringing = scene.ring();
  scene.stop();
  await ringing;

  expect(scene.contacts).toEqual([]);
});

test("the first stream begins with what has changed since the page was served", () => {
  const served = (mark: string) => ({ querySelector: () => ({ content: mark }) as HTMLMetaElement });
  const unmarked = { querySelector: () => null };

  expect(streamAddress(served("512"), true)).toBe("/ui/events?since=512");
  expect(streamAddress(unmarked, true), "the server knows whether something was missed").toBe("/ui/events?since=0");
  expect(streamAddress(served("512"), false)).toBe("/ui/events");
});
