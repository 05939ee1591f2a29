/** Whether the page hears of changes, for whoever shows it. */
import { useSyncExternalStore } from "react";

import type { Contact } from "./live";

let current: Contact = "live";
const listeners = new Set<() => void>();

export function changeContact(contact: Contact): void {
  if (contact === current) return;
  current = contact;
  for (const listener of listeners) listener();
}

export function useContact(): Contact {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}
