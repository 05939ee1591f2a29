/** Where the boxes of a graph are. */
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useMemo } from "react";

import type { Direction } from "~/lib/settings";

import { type Graph, type Placed, type Wanted, wantedLayout } from "./graph.model";
import { layOut } from "./layout";

interface Asked {
  dagId: string;
  part: Graph;
  folded: ReadonlySet<string>;
  direction: Direction;
  /** What is looked at. As long as it is the same, what is in sight stays there when boxes come and go. */
  view: string;
}

interface Laid {
  boxes: Placed[];
  edges: Wanted["edges"];
  direction: Direction;
  view: string;
}

/** Undefined until the first layout is there; then the last one until the next is. */
export function usePlaced({ dagId, part, folded, direction, view }: Asked): Laid | undefined {
  // A key is compared with every rendering: of thousands of boxes, only a short word for them.
  const which = useMemo(() => brief(part), [part]);
  const { data } = useQuery({
    queryKey: ["layout", dagId, which, [...folded], direction, view],
    queryFn: async () => {
      const wanted = wantedLayout(part.rows, part.edges, folded, direction);
      return {
        boxes: await layOut(wanted, direction),
        edges: wanted.edges,
        direction,
        view: `${dagId} ${direction} ${view}`,
      };
    },
    enabled: part.rows.length > 0,
    staleTime: Infinity,
    placeholderData: keepPreviousData,
  });
  return part.rows.length > 0 ? data : undefined;
}

/** A word for what is in a graph: another one for another graph, but for one chance in 2^53. */
export function brief(graph: Graph): string {
  const text = JSON.stringify([
    graph.rows.map(({ node_id, label, role }) => [node_id, label, role]),
    graph.edges.map(({ source, target, label }) => [source, target, label]),
  ]);
  let [one, two] = [0xdeadbeef, 0x41c6ce57];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    one = Math.imul(one ^ code, 2654435761);
    two = Math.imul(two ^ code, 1597334677);
  }
  return `${(one >>> 0).toString(36)}${(two >>> 0).toString(36)}`;
}
