/** All rows of a log, packed: a million of them take little more than their text.
 *
 * Rows are kept in chunks. A full chunk is one text and a few arrays of numbers. What is more than the limit is dropped
 * from the beginning; rows keep their numbers.
 */
import { withoutColours } from "./ansi.model";
import { type Level, levels, messageOf } from "./line.model";

export interface Row {
  number: number;
  text: string;
  level: Level;
  source: string;
  /** Of the first row of a message; not a number on those below it, or where it has none. */
  at: number;
  /** The number of the row that begins its group; its own if it begins one; 0: it is in none. */
  group: number;
}

const chunkRows = 2048;
const separator = "\u0000";

interface Chunk {
  /** As long as rows are added. */
  lines: string[] | undefined;
  /** Afterwards: all rows, and where each ends. */
  text: string;
  ends: Uint32Array;
  levels: Uint8Array;
  sources: Uint16Array;
  times: Float64Array;
  groups: Uint32Array;
  lengths: Uint32Array;
  count: number;
}

export class LogStore {
  /** Names of loggers, by number. */
  readonly sources: string[] = [];
  /** How many rows there have been. Rows are numbered from 1. */
  count = 0;
  private readonly chunks: Chunk[] = [];
  private readonly sourceNumbers = new Map<string, number>();
  private droppedChunks = 0;
  private characters = 0;
  private group = 0;

  constructor(
    private readonly mostCharacters = 200_000_000,
    private readonly mostRows = 3_000_000,
  ) {}

  /** The first row that is still there. */
  get first(): number {
    return this.droppedChunks * chunkRows + 1;
  }

  add(values: Iterable<unknown>): void {
    for (const value of values) this.addMessage(value);
    while (this.chunks.length > 1 && (this.characters > this.mostCharacters || this.held > this.mostRows)) this.drop();
  }

  row(number: number): Row {
    const [chunk, position] = this.place(number);
    return {
      number,
      text: textOf(chunk, position),
      level: levels[chunk.levels[position] ?? 1] ?? "info",
      source: this.sources[chunk.sources[position] ?? 0] ?? "",
      at: chunk.times[position] ?? NaN,
      group: chunk.groups[position] ?? 0,
    };
  }

  /** Number of its level, without making anything. */
  levelOf(number: number): number {
    const [chunk, position] = this.place(number);
    return chunk.levels[position] ?? 1;
  }

  sourceOf(number: number): number {
    const [chunk, position] = this.place(number);
    return chunk.sources[position] ?? 0;
  }

  groupOf(number: number): number {
    const [chunk, position] = this.place(number);
    return chunk.groups[position] ?? 0;
  }

  /** Characters that are seen. */
  lengthOf(number: number): number {
    const [chunk, position] = this.place(number);
    return chunk.lengths[position] ?? 0;
  }

  /** The rows that have the text, whatever its case, from a row on; a part of them at a time, as that takes a while. */
  *search(searched: string, from: number): Generator<number[]> {
    const wanted = searched.toLowerCase();
    const begin = Math.max(from, this.first);
    for (let position = this.chunkOf(begin); position < this.chunks.length; position += 1) {
      const chunk = this.chunks[position];
      if (chunk !== undefined) yield this.found(chunk, position, wanted).filter((number) => number >= begin);
    }
  }

  /** All that is held, to be saved as a file. */
  *texts(): Generator<string> {
    for (const chunk of this.chunks) {
      const rows = chunk.lines ?? chunk.text.split(separator);
      yield rows
        .map((line, position) => {
          const at = chunk.times[position] ?? NaN;
          const head = Number.isNaN(at) ? "" : `${new Date(at).toISOString()} `;
          return `${head}${withoutColours(line)}\n`;
        })
        .join("");
    }
  }

  private get held(): number {
    return this.count - this.first + 1;
  }

  private addMessage(value: unknown): void {
    const message = messageOf(value);
    if (message.group === "end") {
      this.group = 0;
      return;
    }
    if (message.group === "begin") this.group = this.count + 1;
    const level = levels.indexOf(message.level);
    const source = this.numberOfSource(message.source);
    message.lines.forEach((text, position) => {
      this.addRow(text, level, source, position === 0 ? message.at : NaN);
    });
  }

  private addRow(text: string, level: number, source: number, at: number): void {
    let chunk = this.chunks.at(-1);
    if (chunk === undefined || chunk.count === chunkRows) {
      chunk = newChunk();
      this.chunks.push(chunk);
    }
    const position = chunk.count;
    chunk.lines?.push(text);
    chunk.levels[position] = level;
    chunk.sources[position] = source;
    chunk.times[position] = at;
    chunk.groups[position] = this.group;
    chunk.lengths[position] = withoutColours(text).length;
    chunk.count += 1;
    this.count += 1;
    this.characters += text.length + 1;
    if (chunk.count === chunkRows) seal(chunk);
  }

  private numberOfSource(name: string): number {
    const known = this.sourceNumbers.get(name);
    if (known !== undefined) return known;
    // Whoever makes loggers without end shares the last number.
    if (this.sources.length === 0xffff) return 0xfffe;
    this.sources.push(name);
    this.sourceNumbers.set(name, this.sources.length - 1);
    return this.sources.length - 1;
  }

  private drop(): void {
    const chunk = this.chunks.shift();
    if (chunk === undefined) return;
    this.droppedChunks += 1;
    this.characters -= chunk.text.length + 1;
  }

  private found(chunk: Chunk, position: number, wanted: string): number[] {
    const all = withoutColours(chunk.lines?.join(separator) ?? chunk.text).toLowerCase();
    if (!all.includes(wanted)) return [];
    const begin = (position + this.droppedChunks) * chunkRows + 1;
    return all.split(separator).flatMap((line, row) => (line.includes(wanted) ? [begin + row] : []));
  }

  private chunkOf(number: number): number {
    return Math.floor((number - 1) / chunkRows) - this.droppedChunks;
  }

  private place(number: number): [Chunk, number] {
    const chunk = this.chunks[this.chunkOf(number)];
    if (chunk === undefined) throw new RangeError(`There is no row ${number}`);
    return [chunk, (number - 1) % chunkRows];
  }
}

function newChunk(): Chunk {
  return {
    lines: [],
    text: "",
    ends: new Uint32Array(),
    levels: new Uint8Array(chunkRows),
    sources: new Uint16Array(chunkRows),
    times: new Float64Array(chunkRows),
    groups: new Uint32Array(chunkRows),
    lengths: new Uint32Array(chunkRows),
    count: 0,
  };
}

function seal(chunk: Chunk): void {
  const lines = chunk.lines ?? [];
  chunk.ends = new Uint32Array(chunk.count);
  let end = -1;
  lines.forEach((line, position) => {
    end += line.length + 1;
    chunk.ends[position] = end;
  });
  chunk.text = lines.join(separator);
  chunk.lines = undefined;
}

function textOf(chunk: Chunk, position: number): string {
  if (chunk.lines !== undefined) return chunk.lines[position] ?? "";
  const from = position === 0 ? 0 : (chunk.ends[position - 1] ?? 0) + 1;
  return chunk.text.slice(from, chunk.ends[position]);
}
