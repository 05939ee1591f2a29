/** What a person has chosen for this browser: theme, time zone, how dates are written, what of the navigation is shown. */
import { useSyncExternalStore } from "react";

export type Theme = "system" | "light" | "dark";

/** Where graphs lead to. */
export const directions = ["right", "left", "down", "up"] as const;
export type Direction = (typeof directions)[number];

export interface Settings {
  theme: Theme;
  zone: string;
  /** `iso`, or the language whose way of writing dates is wanted. */
  dates: string;
  isNavigationHidden: boolean;
  /** Whether DAGs are shown as cards rather than rows. */
  dagsAsCards: boolean;
  /** Titles of the groups of the navigation that are folded. */
  folded: string[];
  direction: Direction;
}

const own = typeof navigator === "undefined" ? "en-GB" : navigator.language;
const someLanguages = ["en-GB", "en-US", "de", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt-BR", "zh-CN"];

/** Ways of writing dates to choose from: that of the browser, and others. Names are in their own language. */
export const dateLanguages = ["iso", own, ...someLanguages.filter((language) => language !== own)];

const key = "tradewind.settings";
const listeners = new Set<() => void>();
const local = Intl.DateTimeFormat().resolvedOptions().timeZone;

const isTheme = (value: unknown): value is Theme => value === "system" || value === "light" || value === "dark";

/** For each setting: what was kept, if it makes sense. */
const sensible: { [Name in keyof Settings]: (value: unknown) => Settings[Name] | undefined } = {
  theme: (value) => (isTheme(value) ? value : undefined),
  zone: (value) => (typeof value === "string" && isZone(value) ? value : undefined),
  dates: (value) => dateLanguages.find((language) => language === value),
  isNavigationHidden: (value) => (typeof value === "boolean" ? value : undefined),
  dagsAsCards: (value) => (typeof value === "boolean" ? value : undefined),
  folded: (value) => (Array.isArray(value) ? value.map(String) : undefined),
  direction: (value) => directions.find((direction) => direction === value),
};

/** What was kept, as far as it makes sense. */
export function parseSettings(text: string | null): Settings {
  const usual: Settings = {
    theme: "system",
    zone: local,
    dates: "iso",
    isNavigationHidden: false,
    dagsAsCards: false,
    folded: [],
    direction: "right",
  };
  let kept: unknown;
  try {
    kept = JSON.parse(text ?? "null");
  } catch {
    return usual;
  }
  const found = new Map(typeof kept === "object" && kept !== null ? Object.entries(kept) : []);
  const taken = Object.entries(sensible).map(([name, take]) => [name, take(found.get(name))] as const);
  return { ...usual, ...Object.fromEntries(taken.filter(([, value]) => value !== undefined)) };
}

let current = parseSettings(read());

export function changeSettings(change: Partial<Settings>): void {
  current = { ...current, ...change };
  try {
    window.localStorage.setItem(key, JSON.stringify(current));
  } catch {
    // A browser that keeps nothing forgets it with the page.
  }
  apply();
  for (const listener of listeners) listener();
}

export function useSettings(): Settings {
  return useSyncExternalStore(subscribe, () => current);
}

const dark = typeof window === "undefined" ? undefined : window.matchMedia("(prefers-color-scheme: dark)");

/** Whether the page is dark: for what is no colour. */
export function useIsDark(): boolean {
  const { theme } = useSettings();
  const isSystemDark = useSyncExternalStore(subscribeToSystem, () => dark?.matches ?? false);
  return theme === "system" ? isSystemDark : theme === "dark";
}

function subscribeToSystem(listener: () => void): () => void {
  dark?.addEventListener("change", listener);
  return () => dark?.removeEventListener("change", listener);
}

/** Make the page look as was chosen. */
export function apply(): void {
  document.documentElement.dataset.theme = current.theme;
}

/** The zones to choose from; the browser's own and UTC first. */
export function zones(): string[] {
  return [...new Set([local, "UTC", ...Intl.supportedValuesOf("timeZone")])];
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function isZone(name: string): boolean {
  try {
    Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

function read(): string | null {
  try {
    return window.localStorage.getItem(key);
  } catch {
    return null;
  }
}
