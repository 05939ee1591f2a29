/** A grid is large, and most changes are about one of its runs: only those that changed are loaded anew. */
import { hashKey, type QueryKey } from "@tanstack/react-query";

import type { Change } from "~/lib/live";

import type { Schemas } from "./client";
import { concerns } from "./invalidate";

type Grid = Schemas["GridResponse"];

/** The runs that have to be loaded anew; `null`: all there is. */
type Old = ReadonlySet<string> | null;

/** Their names are part of an address, which must not grow without an end; and to load all takes no longer then. */
const mostRuns = 20;

/** By grid: what changed since it was loaded. */
export class GridChanges {
  #old = new Map<string, Old>();
  /** What is being loaded. It stays here if that fails or is cancelled, so that the next one loads it too. */
  #loading = new Map<string, Old>();

  /** Take notice of changes before the grids that are kept under these keys are loaded anew; `null`: of any. */
  note(keys: QueryKey[], changes: Change[] | null): void {
    for (const key of keys) {
      if (key[0] !== "grid") continue;
      const told = changes?.filter((change) => concerns(key, [change]));
      if (told?.length === 0) continue;
      const name = hashKey(key);
      this.#old.set(name, both(this.#old.get(name), told === undefined ? null : runsOf(told)));
    }
  }

  /** Load a grid: the runs that changed, or all of it if more than that may have. */
  async load(
    key: QueryKey,
    kept: Grid | undefined,
    ask: (known?: { layout: number; changed: string[] }) => Promise<Grid>,
    isCancelled: () => boolean,
  ): Promise<Grid> {
    const name = hashKey(key);
    // Who loads it for another reason than a change, because it was not looked at for a while, say, wants all of it.
    const old = both(this.#loading.get(name), this.#old.get(name) ?? null);
    this.#old.delete(name);
    this.#loading.set(name, old);
    const grid = await this.#asked(kept, old, ask);
    if (!isCancelled()) this.#loading.delete(name);
    return grid;
  }

  async #asked(
    kept: Grid | undefined,
    old: Old,
    ask: (known?: { layout: number; changed: string[] }) => Promise<Grid>,
  ): Promise<Grid> {
    if (kept?.layout == null || old === null) return ask();
    return withChanges(kept, await ask({ layout: kept.layout, changed: [...old] })) ?? ask();
  }
}

function runsOf(changes: Change[]): Old {
  const runs = new Set<string>();
  for (const { kind, run_id } of changes) {
    if (kind === "dag" || run_id === undefined) return null;
    runs.add(run_id);
  }
  return runs;
}

function both(one: Old | undefined, other: Old): Old {
  if (one === null || other === null) return null;
  const runs = new Set([...(one ?? []), ...other]);
  return runs.size > mostRuns ? null : runs;
}

/** A grid with the runs that changed; undefined if a run is shown now that nobody has told of. */
export function withChanges(kept: Grid, answer: Grid): Grid | undefined {
  if (answer.is_whole) return answer;
  const known = new Map([...kept.runs, ...answer.runs].map((run) => [run.run_id, run]));
  const runs = answer.run_ids.flatMap((id) => known.get(id) ?? []);
  const { run_ids, has_newer, newer, older } = answer;
  return runs.length === run_ids.length ? { ...kept, run_ids, runs, has_newer, newer, older } : undefined;
}

/** Of this page. */
export const gridChanges = new GridChanges();
