/** Loads anew what is old, one answer after the other. */
import type { Query, QueryClient } from "@tanstack/react-query";

/**
 * Changes may come faster than an answer does. To load anew with each of them would cancel the one on its way, time
 * and again, and the page would stand still for as long as much happens. So what is on its way comes in, is shown, and
 * is loaded once more after that.
 */
export class Refresh {
  #client: QueryClient;
  #again = new Set<string>();
  #stop: () => void;

  constructor(client: QueryClient) {
    this.#client = client;
    this.#stop = client.getQueryCache().subscribe((event) => {
      const query = event.query as Query;
      if (event.type === "removed") this.#again.delete(query.queryHash);
      else if (isIdle(query) && this.#again.delete(query.queryHash)) this.#load(query);
    });
  }

  /** Load anew what is shown of these; the rest once it is shown again. */
  of(isOld: (query: Query) => boolean): void {
    for (const query of this.#client.getQueryCache().findAll({ predicate: isOld })) {
      if (isIdle(query)) this.#load(query);
      else this.#again.add(query.queryHash);
    }
  }

  stop(): void {
    this.#stop();
  }

  #load(query: Query): void {
    void this.#client.invalidateQueries({ predicate: (each) => each === query });
  }
}

function isIdle(query: Query): boolean {
  return query.state.fetchStatus === "idle";
}
