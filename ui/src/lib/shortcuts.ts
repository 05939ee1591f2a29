/**
 * Keys that do something wherever they are pressed, but in a field. A page says which it has, for as long as it is shown:
 *
 *     useShortcuts(useMemo(() => [{ keys: "shift+c", title: "Clear", group: "Task", run: clear }], [clear]));
 *
 * They work, and the sheet of shortcuts (`?`) shows them. Keys are written as in `keys.ts`.
 */
import { useEffect, useSyncExternalStore } from "react";

import { Matcher, nameOf } from "./keys";

export interface Shortcut {
  keys: string;
  title: string;
  /** Under which heading the sheet shows it. */
  group: string;
  run: () => void;
}

let registered: readonly (readonly Shortcut[])[] = [];
const listeners = new Set<() => void>();
const matcher = new Matcher();

/** The list must stay the same from one rendering to the next, as long as nothing has changed. */
export function useShortcuts(shortcuts: readonly Shortcut[]): void {
  useEffect(() => {
    change([...registered, shortcuts]);
    return () => {
      change(registered.filter((each) => each !== shortcuts));
    };
  }, [shortcuts]);
}

/** All that work at the moment. */
export function useRegistered(): readonly (readonly Shortcut[])[] {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => registered,
  );
}

function change(next: typeof registered): void {
  if (registered.length === 0) window.addEventListener("keydown", press);
  registered = next;
  if (registered.length === 0) window.removeEventListener("keydown", press);
  for (const listener of listeners) listener();
}

function press(event: KeyboardEvent): void {
  if (event.defaultPrevented || event.repeat) return;
  const name = nameOf(event);
  // In a field, keys are text; and what a dialog asks comes first. What is held with Ctrl or Cmd is neither.
  if (!name.startsWith("mod+") && (isField(event.target) || document.querySelector("dialog[open]"))) return;
  if (name === "space" && isPressed(event.target)) return;
  const all = registered.flat();
  const keys = matcher.match(
    name,
    all.map((each) => each.keys),
    event.timeStamp,
  );
  // The one that came last: a page knows better than what stands around it.
  const found = all.findLast((each) => each.keys === keys);
  if (found === undefined) return;
  event.preventDefault();
  found.run();
}

/** What has the focus may be something that this key presses. */
function isPressed(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("button, a, summary, [role], [tabindex='0']");
}

/** Not one of a dialog that was just closed: such a field keeps the focus until the next frame is painted. */
function isField(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches("input, textarea, select")) &&
    target.closest("dialog:not([open])") === null
  );
}
