/** Colours of terminals, as parts of a line that look alike. All other sequences are left out. */

export interface Look {
  /** One of the sixteen colours by name, or a colour of CSS. */
  ink?: string;
  ground?: string;
  isBold?: boolean;
  isFaint?: boolean;
  isItalic?: boolean;
  isUnderlined?: boolean;
}

export interface Part extends Look {
  text: string;
}

const names = ["black", "red", "green", "yellow", "blue", "magenta", "cyan", "white"];
/** A sequence that begins with an escape: of colours, of the cursor, of the window's title, of two characters. */
const sequence =
  /\u001b\[([0-9;:]*)m|\u001b\[[0-?]*[ -/]*[@-~]?|\u001b[\]P^_X][^\u0007\u001b]*(?:\u0007|\u001b\\)?|\u001b[ -/]*[0-~]?/g;

/** The text alone. */
export function withoutColours(line: string): string {
  return line.includes("\u001b") ? line.replace(sequence, "") : line;
}

export function parts(line: string): Part[] {
  if (!line.includes("\u001b")) return [{ text: line }];
  const found: Part[] = [];
  let look: Look = {};
  let from = 0;
  for (const match of line.matchAll(sequence)) {
    if (match.index > from) found.push({ text: line.slice(from, match.index), ...look });
    from = match.index + match[0].length;
    if (match[1] !== undefined) look = changed(look, match[1].split(/[;:]/).map(Number));
  }
  if (from < line.length) found.push({ text: line.slice(from), ...look });
  return found;
}

function changed(before: Look, codes: number[]): Look {
  let look = { ...before };
  for (let position = 0; position < codes.length; position += 1) {
    const code = codes[position] ?? 0;
    if (code === 38 || code === 48) {
      const [colour, used] = extended(codes.slice(position + 1));
      look = { ...look, ...(colour !== undefined && { [code === 38 ? "ink" : "ground"]: colour }) };
      position += used;
    } else {
      look = simple(look, code);
    }
  }
  return look;
}

const switches: Partial<Record<number, Look>> = {
  1: { isBold: true },
  2: { isFaint: true },
  3: { isItalic: true },
  4: { isUnderlined: true },
};
const ends: Partial<Record<number, (keyof Look)[]>> = {
  22: ["isBold", "isFaint"],
  23: ["isItalic"],
  24: ["isUnderlined"],
  39: ["ink"],
  49: ["ground"],
};

function simple(look: Look, code: number): Look {
  if (code === 0) return {};
  const ended = ends[code];
  if (ended !== undefined) {
    return Object.fromEntries(Object.entries(look).filter(([name]) => !ended.includes(name as keyof Look)));
  }
  if (code >= 30 && code <= 37) return { ...look, ink: colourName(code - 30) };
  if (code >= 40 && code <= 47) return { ...look, ground: colourName(code - 40) };
  if (code >= 90 && code <= 97) return { ...look, ink: colourName(code - 90 + 8) };
  if (code >= 100 && code <= 107) return { ...look, ground: colourName(code - 100 + 8) };
  return { ...look, ...switches[code] };
}

function colourName(number: number): string {
  const name = names[number % 8] ?? "white";
  return number < 8 ? name : `bright-${name}`;
}

/** One of 256 colours (`5;n`) or any (`2;r;g;b`), and how many numbers say so. */
function extended([kind, first = 0, second = 0, third = 0]: number[]): [string | undefined, number] {
  if (kind === 2) return [rgb(first, second, third), 4];
  if (kind !== 5) return [undefined, 0];
  return [first < 16 ? colourName(first) : ofPalette(first), 2];
}

function ofPalette(number: number): string {
  if (number >= 232) {
    const grey = 8 + (number - 232) * 10;
    return rgb(grey, grey, grey);
  }
  const step = (value: number) => (value === 0 ? 0 : 55 + value * 40);
  const cube = number - 16;
  return rgb(step(Math.floor(cube / 36)), step(Math.floor(cube / 6) % 6), step(cube % 6));
}

function rgb(red: number, green: number, blue: number): string {
  const bounded = [red, green, blue].map((value) => Math.max(0, Math.min(255, value || 0)));
  return `rgb(${bounded.join(" ")})`;
}
