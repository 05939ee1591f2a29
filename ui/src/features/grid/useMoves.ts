/** The grid by keyboard. */
import { type KeyboardEvent, type RefObject, useEffect, useRef, useState } from "react";

import { type Shortcut, useShortcuts } from "~/lib/shortcuts";

import { moved, type Place } from "./grid.model";

interface Asked {
  scroller: RefObject<HTMLDivElement | null>;
  last: Place;
  /** Where what is chosen is. */
  chosen: Place;
  /** Bring a cell into sight. */
  show: (next: Place) => void;
  /** Choose what is there. */
  choose: (next: Place) => void;
  /** Fold or unfold the group of what is chosen. */
  fold: () => void;
}

/** One cell can be reached by Tab; arrows lead from there to the others, wherever they are. With Shift, they choose. */
export function useMoves(asked: Asked): [Place, (event: KeyboardEvent) => void] {
  const { scroller, last } = asked;
  const [at, setAt] = useState<Place>();
  const isWanted = useRef(false);
  const current = at ?? { row: -1, column: last.column };
  const within = { row: Math.min(current.row, last.row), column: Math.min(current.column, last.column) };
  // A cell that was out of sight comes into being after the grid has scrolled.
  useEffect(() => {
    if (!isWanted.current) return;
    const cell = scroller.current?.querySelector<HTMLElement>(`[data-place="${within.row}:${within.column}"]`);
    if (cell == null) return;
    cell.focus({ preventScroll: true });
    isWanted.current = false;
  });
  const step = (key: string, from: Place): Place | undefined => {
    const next = moved(key, from, last);
    if (next === undefined) return undefined;
    isWanted.current = true;
    setAt(next);
    asked.show(next);
    return next;
  };
  const run = (keys: string) => {
    if (keys === "space") asked.fold();
    const next = step(keys.replace("shift+", ""), placeOf(document.activeElement) ?? asked.chosen);
    if (next !== undefined) asked.choose(next);
  };
  useKeys(run);
  return [
    within,
    (event) => {
      const place = placeOf(event.target);
      if (event.shiftKey || place === undefined) return;
      if (step(event.key, place) !== undefined) event.preventDefault();
    },
  ];
}

const shortcuts = [
  ["shift+ArrowUp", "Choose the task above"],
  ["shift+ArrowDown", "Choose the task below"],
  ["shift+ArrowLeft", "Choose the older run"],
  ["shift+ArrowRight", "Choose the newer run"],
  ["space", "Fold or unfold the group"],
] as const;

/** They stay the same while what they do changes: with every step of a scroll. */
function useKeys(press: (keys: string) => void): void {
  const newest = useRef(press);
  useEffect(() => {
    newest.current = press;
  });
  const [registered, setRegistered] = useState<Shortcut[]>([]);
  useEffect(() => {
    setRegistered(
      shortcuts.map(([keys, title]) => ({
        keys,
        title,
        group: "Grid",
        run: () => {
          newest.current(keys);
        },
      })),
    );
  }, []);
  useShortcuts(registered);
}

/** Of a cell. */
function placeOf(target: EventTarget | null): Place | undefined {
  if (!(target instanceof HTMLElement)) return undefined;
  const [row, column] = target.dataset.place?.split(":").map(Number) ?? [];
  return row === undefined || column === undefined ? undefined : { row, column };
}
