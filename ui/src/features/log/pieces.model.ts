/** A line as it is drawn: cut wherever its colour changes, a link begins or ends, or what is searched for stands. */
import { type Look, parts, withoutColours } from "./ansi.model";

export interface Piece {
  text: string;
  look: Look;
  /** Where it leads: only to pages of the web, whatever the line says. */
  href: string | undefined;
  isFound: boolean;
}

interface Range {
  from: number;
  to: number;
}

const address = /https?:\/\/[^\s<>"'`]+/g;
/** What ends a sentence and not an address. */
const tail = /[.,;:!?)\]}]+$/;

export function pieces(line: string, searched: string): Piece[] {
  const text = withoutColours(line);
  const links = linksIn(text);
  const found = matchesIn(text, searched);
  const cuts = [...links, ...found].flatMap(({ from, to }) => [from, to]);
  const drawn: Piece[] = [];
  let from = 0;
  for (const { text: part, ...look } of parts(line)) {
    const to = from + part.length;
    const inside = cuts.filter((cut) => cut > from && cut < to).sort((left, right) => left - right);
    const edges = [...new Set([from, ...inside, to])];
    edges.slice(0, -1).forEach((start, position) => {
      const end = edges[position + 1] ?? to;
      const link = links.find((each) => covers(each, start));
      drawn.push({
        text: text.slice(start, end),
        look,
        href: link && text.slice(link.from, link.to),
        isFound: found.some((each) => covers(each, start)),
      });
    });
    from = to;
  }
  return drawn;
}

function covers({ from, to }: Range, position: number): boolean {
  return from <= position && position < to;
}

function linksIn(text: string): Range[] {
  return Array.from(text.matchAll(address), ({ 0: found, index }) => ({
    from: index,
    to: index + found.replace(tail, "").length,
  }));
}

function matchesIn(text: string, searched: string): Range[] {
  const wanted = searched.toLowerCase();
  if (wanted === "") return [];
  const lower = text.toLowerCase();
  const found: Range[] = [];
  // A few characters get longer in lower case, and positions would be wrong: better no mark than a wrong one.
  if (lower.length !== text.length) return found;
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, at + wanted.length)) {
    found.push({ from: at, to: at + wanted.length });
  }
  return found;
}
