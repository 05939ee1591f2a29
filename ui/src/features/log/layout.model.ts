/** Which rows of a log are shown, and where. */
import type { LogStore } from "./store.model";

export interface Wanted {
  /** The lowest level that is shown, as a number. */
  level: number;
  /** The number of the only logger that is shown. */
  source: number | undefined;
  /** Whether groups are open. Those that are not show only the row that begins them. */
  areOpen: boolean;
  /** Groups that are the other way round, by the row that begins them. */
  turned: ReadonlySet<number>;
  /** How many characters fit side by side; none: long lines are not wrapped. */
  columns: number | undefined;
}

/** Browsers draw no taller things; Firefox ends at 17.8 million. */
const tallest = 15_000_000;

/** Rows one below the other. Heights are in lines. */
export class Layout {
  /** Of the shown rows: their numbers, and where each ends. */
  private rows = new Uint32Array(1024);
  private ends = new Uint32Array(1024);
  private size = 0;
  private seen: number;
  private readonly first: number;

  constructor(
    private readonly store: LogStore,
    private readonly wanted: Wanted,
  ) {
    this.first = store.first;
    this.seen = this.first - 1;
    this.extend();
  }

  /** Whether rows that it shows are gone, so that another layout is needed. */
  get isOld(): boolean {
    return this.store.first !== this.first;
  }

  get count(): number {
    return this.size;
  }

  /** In lines. */
  get height(): number {
    return this.size === 0 ? 0 : (this.ends[this.size - 1] ?? 0);
  }

  /** Take in what the store has got since. */
  extend(): void {
    for (let number = this.seen + 1; number <= this.store.count; number += 1) {
      if (this.shows(number)) this.push(number);
    }
    this.seen = this.store.count;
  }

  /** The number of the row at a position. */
  at(position: number): number {
    return this.rows[position] ?? 0;
  }

  /** Where a position begins, in lines. */
  top(position: number): number {
    return position === 0 ? 0 : (this.ends[position - 1] ?? 0);
  }

  /** Which position is at this line. */
  positionAt(line: number): number {
    return Math.min(firstAbove(this.ends, this.size, line), Math.max(0, this.size - 1));
  }

  /** The position of a row, or of the first shown one after it. */
  positionOf(number: number): number {
    return Math.min(firstAbove(this.rows, this.size, number - 1), Math.max(0, this.size - 1));
  }

  shows(number: number): boolean {
    const { level, source, areOpen, turned } = this.wanted;
    const group = this.store.groupOf(number);
    if (group !== 0 && group !== number && areOpen === turned.has(group)) return false;
    if (this.store.levelOf(number) < level) return false;
    return source === undefined || this.store.sourceOf(number) === source;
  }

  private push(number: number): void {
    if (this.size === this.rows.length) {
      this.rows = grown(this.rows);
      this.ends = grown(this.ends);
    }
    const { columns } = this.wanted;
    const lines = columns === undefined ? 1 : Math.max(1, Math.ceil(this.store.lengthOf(number) / columns));
    this.rows[this.size] = number;
    this.ends[this.size] = this.height + lines;
    this.size += 1;
  }
}

function grown(before: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const after = new Uint32Array(before.length * 2);
  after.set(before);
  return after;
}

/** The first place whose value is above; values grow. */
function firstAbove(values: Uint32Array, size: number, value: number): number {
  let low = 0;
  let high = size;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] ?? 0) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}

export interface Window {
  /** How tall the scrolled thing is, in pixels. */
  height: number;
  /** Positions to draw. */
  from: number;
  to: number;
  /** Where the first of them is drawn, in pixels from the top of the scrolled thing. */
  top: number;
}

/** What to draw at a scroll position. Beyond what browsers can draw, a pixel of scrolling is more than one of the log. */
export function windowAt(layout: Layout, scrolled: number, viewport: number, lineHeight: number, extra = 30): Window {
  const full = layout.height * lineHeight;
  const height = Math.min(full, tallest);
  const virtual = scrolled * scale(full, height, viewport);
  const from = Math.max(0, layout.positionAt(Math.floor(virtual / lineHeight)) - extra);
  const to = Math.min(layout.count, layout.positionAt(Math.ceil((virtual + viewport) / lineHeight)) + 1 + extra);
  return { height, from, to, top: layout.top(from) * lineHeight - virtual + scrolled };
}

/** How far to scroll for a position to be in the middle. */
export function scrollTo(layout: Layout, position: number, viewport: number, lineHeight: number): number {
  const full = layout.height * lineHeight;
  const height = Math.min(full, tallest);
  const virtual = layout.top(position) * lineHeight - viewport / 2;
  return Math.max(0, virtual / scale(full, height, viewport));
}

function scale(full: number, height: number, viewport: number): number {
  return height <= viewport ? 1 : (full - viewport) / (height - viewport);
}
