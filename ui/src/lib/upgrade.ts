/**
 * The server is upgraded while its pages are open: the names of parts they have not loaded yet are gone then.
 *
 * The files of the pages are named after their contents, so that another first script means other pages.
 */
import { useSyncExternalStore } from "react";

/** What the server has now: the pages that are shown, others, or no answer. */
export type Found = "same" | "newer" | "away";

/** A part of the pages that did not come. */
const missing = new WeakSet<object>();

export function isMissingPart(error: unknown): boolean {
  return typeof error === "object" && error !== null && missing.has(error);
}

/** To be called before anything is loaded. The bundler tells of each part that does not come. */
export function watchParts(): void {
  window.addEventListener("vite:preloadError", ({ payload }) => {
    missing.add(payload);
    // The router loads the whole page anew for what it knows by its words, also where no server answers.
    payload.message = `A part of the page did not come (${payload.message})`;
  });
}

export async function lookForUpgrade(): Promise<Found> {
  try {
    const answer = await fetch("/", { cache: "no-store", headers: { Accept: "text/html" } });
    if (!answer.ok) return "away";
    const there = firstScript(new DOMParser().parseFromString(await answer.text(), "text/html"));
    // Who has to log in again is shown a page of another kind.
    return there === undefined || there === firstScript(document) ? "same" : "newer";
  } catch {
    return "away";
  }
}

function firstScript(page: Document): string | undefined {
  return page.querySelector("script[type=module][src]")?.getAttribute("src") ?? undefined;
}

let isUpgraded = false;
let hasBeenLive = false;
const listeners = new Set<() => void>();

/** The stream has begun: if not for the first time, the server may have been started anew. */
export async function noteLive(): Promise<void> {
  const isAgain = hasBeenLive;
  hasBeenLive = true;
  if (!isAgain || isUpgraded || (await lookForUpgrade()) !== "newer") return;
  isUpgraded = true;
  for (const listener of listeners) listener();
}

/** Whether the server has other pages than those that are shown. */
export function useIsUpgraded(): boolean {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => isUpgraded,
  );
}
