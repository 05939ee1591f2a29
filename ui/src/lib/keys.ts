/** Keys as shortcuts are written: `?`, `mod+k`, `shift+c`, `g d` (one after the other). */

export interface Pressed {
  key: string;
  ctrlKey: boolean;
  metaKey: boolean;
  altKey: boolean;
  shiftKey: boolean;
}

/** `mod` is Ctrl, or Cmd where there is one. Shift is named for letters only: other signs are what it makes of a key. */
export function nameOf({ key, ctrlKey, metaKey, altKey, shiftKey }: Pressed): string {
  const isLetter = /^[a-z]$/i.test(key);
  const name = isLetter ? key.toLowerCase() : key === " " ? "space" : key;
  const isShifted = shiftKey && (isLetter || key.length > 1);
  return [(ctrlKey || metaKey) && "mod", altKey && "alt", isShifted && "shift", name].filter(Boolean).join("+");
}

/** How long the second key of two may take. */
const patience = 5_000;

/** Which of these shortcuts a key completes. */
export class Matcher {
  private first: { name: string; at: number } | undefined;

  /** `now` in milliseconds. */
  match(name: string, known: readonly string[], now: number): string | undefined {
    const begun =
      this.first !== undefined && now - this.first.at <= patience ? `${this.first.name} ${name}` : undefined;
    this.first = undefined;
    if (begun !== undefined && known.includes(begun)) return begun;
    if (known.some((keys) => keys.startsWith(`${name} `))) this.first = { name, at: now };
    // One that is a shortcut by itself need not wait for a second key, which may still come.
    return known.includes(name) ? name : undefined;
  }
}

/** Where Cmd is what Ctrl is elsewhere. */
export const isMac = typeof navigator !== "undefined" && navigator.userAgent.includes("Mac");

const arrows = { ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→" };
const signs: Partial<Record<string, string>> = {
  shift: "⇧",
  alt: "Alt",
  space: "Space",
  Enter: "↵",
  Escape: "Esc",
  ...arrows,
};

/** For people, one text for each key: `["Ctrl", "K"]`. */
export function keyCaps(keys: string, hasCommandKey: boolean): string[] {
  return keys.split(/[ ]|(?<=.)\+/).map((part) => {
    if (part === "mod") return hasCommandKey ? "⌘" : "Ctrl";
    return signs[part] ?? (part.length === 1 ? part.toUpperCase() : part);
  });
}
