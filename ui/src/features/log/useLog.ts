/** A log that grows while it is read. */
import { useEffect, useReducer, useState } from "react";

import { logIn, reasonOf, Refused } from "~/api/client";
import type { TaskPlace } from "~/api/queries";

import { lineReader } from "./stream.model";
import { LogStore } from "./store.model";

export interface Log {
  store: LogStore;
  /** Grows with the log. */
  version: number;
  /** Whether the server has said all that there is. */
  isComplete: boolean;
  error: Error | undefined;
}

/** How many lines are taken in before the browser may draw again. */
const atOnce = 3000;
const patience = 2000;

/** The log of a try. `state`: of the task; another one may mean that there is more to come. */
export function useLog(place: TaskPlace, tryNumber: number, state: string | null): Log {
  const { dagId, runId, taskId, mapIndex } = place;
  const [log, setLog] = useState<Omit<Log, "version">>(() => ({
    store: new LogStore(),
    isComplete: false,
    error: undefined,
  }));
  const [version, grow] = useReducer((before: number) => before + 1, 0);
  // A stream follows a task that works to the end of its try; it must not load a long log anew because that ended.
  const phase = state === null || pauses.has(state) ? (state ?? "none") : "read";
  useEffect(() => {
    const stop = new AbortController();
    const show: Show = (store, isComplete, error) => {
      setLog({ store, isComplete, error });
      grow();
    };
    void read(logAddress({ dagId, runId, taskId, mapIndex }, tryNumber), stop.signal, show);
    return () => {
      stop.abort();
    };
  }, [dagId, runId, taskId, mapIndex, tryNumber, phase]);
  return { ...log, version };
}

/** States in which the server ends a stream although the try may go on. */
const pauses = new Set(["scheduled", "queued", "up_for_reschedule", "up_for_retry", "awaiting_input"]);

export function logAddress({ dagId, runId, taskId, mapIndex }: TaskPlace, tryNumber: number): string {
  const path = ["api", "v2", "dags", dagId, "dagRuns", runId, "taskInstances", taskId, "logs", String(tryNumber)];
  return `/${path.map(encodeURIComponent).join("/")}?map_index=${mapIndex}`;
}

type Show = (store: LogStore, isComplete: boolean, error?: Error) => void;

/** Again and again as long as the network fails: a log is worth waiting for. */
async function read(address: string, signal: AbortSignal, show: Show): Promise<void> {
  const store = new LogStore();
  try {
    const response = await fetch(address, { headers: { Accept: "application/x-ndjson" }, signal });
    if (!response.ok || response.body === null) throw await refusal(response);
    await take(response.body.pipeThrough(new TextDecoderStream()), store, () => {
      show(store, false);
    });
    show(store, true);
  } catch (error) {
    if (signal.aborted) return;
    show(store, true, error instanceof Error ? error : new Error(String(error)));
    if (error instanceof Refused) return;
    await new Promise((resolve) => setTimeout(resolve, patience));
    await read(address, signal, show);
  }
}

async function refusal(response: Response): Promise<Refused> {
  if (response.status === 401) logIn();
  return new Refused(response.status, await reasonOf(response));
}

async function take(texts: ReadableStream<string>, store: LogStore, show: () => void): Promise<void> {
  const reader = texts.getReader();
  const lines = lineReader();
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const found = lines(part.value);
    for (let from = 0; from < found.length; from += atOnce) {
      store.add(found.slice(from, from + atOnce));
      show();
      if (found.length > atOnce) await drawn();
    }
  }
  store.add(lines("\n"));
}

/** Until the browser has had time for whoever scrolls. */
function drawn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}
