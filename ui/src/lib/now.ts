/** The present, for what is shown as a distance from it. One timer for the whole page. */
import { useSyncExternalStore } from "react";

const step = 1000;
let now = Date.now();
let timer: number | undefined;
const listeners = new Set<() => void>();

/** `every`: so many milliseconds pass before it is another one. */
export function useNow(every = step): number {
  return useSyncExternalStore(subscribe, () => (every === step ? now : now - (now % every)));
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= window.setInterval(tick, step);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    window.clearInterval(timer);
    timer = undefined;
  };
}

function tick(): void {
  now = Date.now();
  for (const listener of listeners) listener();
}
