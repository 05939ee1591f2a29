/** Where boxes go. The layout engine works in a worker: it takes a while, and the page goes on. */
import ELK from "elkjs/lib/elk-api";

import type { Direction } from "~/lib/settings";

import { countBoxes, type Placed, placedBoxes, type Wanted } from "./graph.model";
import { layeredBoxes } from "./layers.model";

/** More boxes than these take the engine too long to wait for, and so do more than twice as many lines. */
export const mostForEngine = 600;

const worker = new Worker(new URL("elkjs/lib/elk-worker.min.js", import.meta.url));
const elk = new ELK({ workerFactory: () => worker });
/** The engine did not come, as after an upgrade of the server: nobody would ever be told where boxes go. */
const broken = new Promise<"broken">((resolve) => {
  worker.addEventListener("error", () => {
    resolve("broken");
  });
});

export async function layOut(wanted: Wanted, direction: Direction): Promise<Placed[]> {
  const isLarge = countBoxes(wanted.children) > mostForEngine || wanted.edges.length > 2 * mostForEngine;
  if (isLarge) return layeredBoxes(wanted, direction);
  const found = await Promise.race([elk.layout(wanted), broken]);
  return found === "broken" ? layeredBoxes(wanted, direction) : placedBoxes(found);
}
