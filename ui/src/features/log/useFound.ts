/** A search in a log, a part at a time: nobody waits for a million lines. */
import { useEffect, useRef, useState } from "react";

import type { LogStore } from "./store.model";

const slice = 12;

/** Numbers of the rows that have the text. They become more while it searches, and while the log grows. */
export function useFound(store: LogStore, version: number, searched: string): number[] {
  const [found, setFound] = useState<number[]>([]);
  const done = useRef({ store, searched: "", upTo: 0, rows: [] as number[] });
  useEffect(() => {
    if (done.current.store !== store || done.current.searched !== searched) {
      done.current = { store, searched, upTo: 0, rows: [] };
    }
    const progress = done.current;
    let timer: number | undefined;
    const rows = searched === "" ? undefined : store.search(searched, progress.upTo + 1);
    const upTo = store.count;
    const gathered: number[] = [];
    const go = () => {
      const until = performance.now() + slice;
      let next = rows?.next();
      while (next && !next.done) {
        for (const row of next.value) if (row <= upTo) gathered.push(row);
        if (performance.now() > until) break;
        next = rows?.next();
      }
      if (next && !next.done) {
        timer = window.setTimeout(go, 0);
        setFound([...progress.rows, ...gathered]);
        return;
      }
      progress.upTo = upTo;
      progress.rows = searched === "" ? [] : [...progress.rows, ...gathered];
      setFound((before) => (before.length === 0 && progress.rows.length === 0 ? before : progress.rows));
    };
    // Not for every letter that is typed.
    timer = window.setTimeout(go, progress.upTo === 0 && searched !== "" ? 150 : 0);
    return () => {
      window.clearTimeout(timer);
    };
  }, [store, version, searched]);
  return found;
}
