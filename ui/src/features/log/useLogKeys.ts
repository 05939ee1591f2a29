/** The keys that Airflow's logs have. */
import { useEffect, useMemo, useRef } from "react";

import { useShortcuts } from "~/lib/shortcuts";

import type { View } from "./LogBar";

interface Deeds {
  onView: (change: Partial<View>) => void;
  onEnd: (end: "first" | "last") => void;
  onDownload: () => void;
}

type Act = (view: View, deeds: Deeds) => void;

const nextTimes = { none: "time", time: "full", full: "none" } as const;

const change =
  (of: (view: View) => Partial<View>): Act =>
  (view, { onView }) => {
    onView(of(view));
  };

const table: [keys: string, title: string, act: Act][] = [
  ["w", "Wrap long lines", change(({ isWrapped }) => ({ isWrapped: !isWrapped }))],
  ["t", "Times of lines", change(({ times }) => ({ times: nextTimes[times] }))],
  ["s", "Loggers of lines", change(({ isSourced }) => ({ isSourced: !isSourced }))],
  ["e", "Open or fold all groups", change(({ areOpen }) => ({ areOpen: !areOpen }))],
  ["f", "Fill the window", change(({ isFull }) => ({ isFull: !isFull }))],
  [
    "d",
    "Download",
    (_, { onDownload }) => {
      onDownload();
    },
  ],
  [
    "mod+ArrowUp",
    "First line",
    (_, { onEnd }) => {
      onEnd("first");
    },
  ],
  [
    "mod+ArrowDown",
    "Last line",
    (_, { onEnd }) => {
      onEnd("last");
    },
  ],
];

export function useLogKeys(view: View, deeds: Deeds): void {
  // What they act on changes with everything that is drawn; which they are does not.
  const latest = useRef({ view, deeds });
  useEffect(() => {
    latest.current = { view, deeds };
  });
  useShortcuts(
    useMemo(
      () =>
        table.map(([keys, title, act]) => ({
          keys,
          title,
          group: "Log",
          run: () => {
            act(latest.current.view, latest.current.deeds);
          },
        })),
      [],
    ),
  );
}
