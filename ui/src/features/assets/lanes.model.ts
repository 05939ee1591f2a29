/** Lanes of edges through the columns that they pass, so that no line runs behind a box. */

export interface Link {
  from: string;
  to: string;
}

export interface Way {
  /** Where it begins, the lanes that it takes, where it ends. */
  stops: string[];
  /** Against the direction of the graph: it leads back to where it came from. */
  isBack: boolean;
}

interface Laned {
  /** Boxes, and lanes between them. */
  columns: string[][];
  /** From stop to stop. */
  links: Link[];
  /** By the key of the edge. */
  ways: Map<string, Way>;
}

/** Edges that begin at one box share a lane as long as they go together. */
export function laned(columns: readonly string[][], edges: readonly (Link & { key: string })[]): Laned {
  const columnOf = new Map(columns.flatMap((column, number) => column.map((key) => [key, number])));
  const lanes = columns.map(() => new Set<string>());
  const ways = new Map<string, Way>();
  for (const { key, from, to } of edges) {
    const [first, last] = [columnOf.get(from) ?? 0, columnOf.get(to) ?? 0];
    const isBack = last <= first;
    const taken = (isBack ? passedBackwards(first, last) : passed(first, last)).map((column) => {
      const lane = `lane ${isBack ? "back" : "on"} ${column} ${from}`;
      lanes[column]?.add(lane);
      return lane;
    });
    ways.set(key, { stops: [from, ...taken, to], isBack });
  }
  const links = [...ways.values()].flatMap(({ stops }) =>
    stops.slice(1).map((to, position) => ({ from: stops[position] ?? to, to })),
  );
  return { columns: columns.map((column, number) => [...column, ...(lanes[number] ?? [])]), links, ways };
}

/** The columns between two. */
function passed(first: number, last: number): number[] {
  return Array.from({ length: last - first - 1 }, (_, step) => first + 1 + step);
}

/** With those of both ends: a line leaves a box to the right and comes to one from the left, so it goes around both. */
function passedBackwards(first: number, last: number): number[] {
  return Array.from({ length: first - last + 1 }, (_, step) => first - step);
}

/** Where a line comes to a box or a lane, and where it leaves it. */
export interface Stop {
  enters: number;
  leaves: number;
  y: number;
}

/** A line as SVG: level through lanes, bent between columns by no more than the room that is there. */
export function pathOf(stops: readonly Stop[], bend: number): string {
  const parts = stops.slice(1).map((stop, position) => {
    const before = stops[position] ?? stop;
    const [one, two] = [before.leaves + direction(before) * bend, stop.enters - direction(stop) * bend];
    const curve = `C ${one} ${before.y}, ${two} ${stop.y}, ${stop.enters} ${stop.y}`;
    return position === stops.length - 2 ? curve : `${curve} H ${stop.leaves}`;
  });
  const [start] = stops;
  return start === undefined ? "" : [`M ${start.leaves} ${start.y}`, ...parts].join(" ");
}

function direction({ enters, leaves }: Stop): number {
  return Math.sign(leaves - enters);
}
