/** Markdown of authors, as far as documentation needs it, read into values. HTML in it is text like any other. */

export type Inline =
  | { kind: "text"; text: string }
  | { kind: "code"; text: string }
  | { kind: "strong" | "emphasis"; inner: Inline[] }
  | { kind: "link"; address: string; inner: Inline[] };

export type Block =
  | { kind: "heading"; level: number; inner: Inline[] }
  | { kind: "paragraph" | "quote"; inner: Inline[] }
  | { kind: "code"; text: string }
  | { kind: "list"; isOrdered: boolean; items: Inline[][] }
  | { kind: "table"; head: Inline[][]; rows: Inline[][][] }
  | { kind: "rule" };

const heading = /^(#{1,6})\s+(.*?)\s*#*$/;
const bullet = /^\s*(?:[-*+]|(\d+)[.)])\s+(.*)$/;
const rule = /^\s*(?:-{3,}|\*{3,}|_{3,})\s*$/;
const fence = /^\s*(?:```|~~~)/;
const divider = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/;

export function blocks(source: string): Block[] {
  const lines = outdented(source).split("\n");
  const found: Block[] = [];
  let at = 0;
  while (at < lines.length) {
    const [block, next] = blockAt(lines, at);
    if (block !== undefined) found.push(block);
    at = next;
  }
  return found;
}

/** Docstrings are indented as the code around them. */
function outdented(source: string): string {
  const lines = source.replaceAll("\r\n", "\n").replaceAll("\t", "    ").split("\n");
  const indents = lines.slice(1).flatMap((line) => (line.trim() === "" ? [] : [line.length - line.trimStart().length]));
  const least = Math.min(...indents, Infinity);
  const rest = least === Infinity ? lines.slice(1) : lines.slice(1).map((line) => line.slice(least));
  return [(lines[0] ?? "").trimStart(), ...rest].join("\n");
}

function blockAt(lines: string[], at: number): [Block | undefined, number] {
  const [line = "", next = ""] = lines.slice(at, at + 2);
  if (isEmpty(line)) return [undefined, at + 1];
  if (fence.test(line)) return fenced(lines, at + 1);
  if (rule.test(line)) return [{ kind: "rule" }, at + 1];
  const title = heading.exec(line);
  if (title) return [headingOf(title), at + 1];
  if (bullet.test(line)) return list(lines, at);
  if (line.includes("|") && divider.test(next)) return table(lines, at);
  return paragraph(lines, at);
}

function isEmpty(line: string): boolean {
  return line.trim() === "";
}

function headingOf([, marks = "#", text = ""]: RegExpExecArray): Block {
  return { kind: "heading", level: marks.length, inner: inline(text) };
}

function fenced(lines: string[], from: number): [Block, number] {
  let end = from;
  while (end < lines.length && !fence.test(lines[end] ?? "")) end += 1;
  return [{ kind: "code", text: lines.slice(from, end).join("\n") }, end + 1];
}

function list(lines: string[], at: number): [Block, number] {
  const isOrdered = bullet.exec(lines[at] ?? "")?.[1] !== undefined;
  const items: string[] = [];
  let next = at;
  for (; next < lines.length && (lines[next] ?? "").trim() !== ""; next += 1) {
    const line = lines[next] ?? "";
    const item = bullet.exec(line);
    if (item) items.push(item[2] ?? "");
    else if (startsBlock(line)) break;
    else items.push(`${items.pop() ?? ""} ${line.trim()}`);
  }
  return [{ kind: "list", isOrdered, items: items.map(inline) }, next];
}

function table(lines: string[], at: number): [Block, number] {
  let next = at + 2;
  while (next < lines.length && (lines[next] ?? "").includes("|")) next += 1;
  const rows = lines.slice(at + 2, next).map(cells);
  return [{ kind: "table", head: cells(lines[at] ?? ""), rows }, next];
}

function cells(line: string): Inline[][] {
  const text = line.trim().replace(/^\|/, "").replace(/\|$/, "");
  return text.split("|").map((cell) => inline(cell.trim()));
}

function paragraph(lines: string[], at: number): [Block, number] {
  let next = at;
  const isQuote = (lines[at] ?? "").trimStart().startsWith(">");
  while (next < lines.length && (lines[next] ?? "").trim() !== "" && (next === at || !startsBlock(lines[next] ?? ""))) {
    next += 1;
  }
  const text = lines
    .slice(at, next)
    .map((line) => (isQuote ? line.trim().replace(/^>\s?/, "") : line.trim()))
    .join(" ");
  return [{ kind: isQuote ? "quote" : "paragraph", inner: inline(text) }, next];
}

function startsBlock(line: string): boolean {
  return fence.test(line) || rule.test(line) || heading.test(line) || bullet.test(line);
}

const parts =
  /`([^`]+)`|\*\*(.+?)\*\*|__(.+?)__|\[([^\]]*)\]\(\s*([^()\s]+(?:\([^()\s]*\)[^()\s]*)*)[^)]*\)|\*([^*\s][^*]*)\*|(?<![\w])_([^_\s][^_]*)_(?![\w])/;

/** Words in a line. Only links that lead to pages or mail are links. */
export function inline(text: string): Inline[] {
  const found = parts.exec(text);
  if (found === null) return text === "" ? [] : [{ kind: "text", text }];
  const before = text.slice(0, found.index);
  const after = text.slice(found.index + found[0].length);
  return [...(before === "" ? [] : [{ kind: "text" as const, text: before }]), part(found), ...inline(after)];
}

function part([whole, code, strong, alsoStrong, label, address, emphasis, alsoEmphasis]: RegExpExecArray): Inline {
  if (code !== undefined) return { kind: "code", text: code };
  if (address !== undefined) {
    return isHarmless(address)
      ? { kind: "link", address, inner: inline(label === undefined || label === "" ? address : label) }
      : { kind: "text", text: whole };
  }
  const bold = strong ?? alsoStrong;
  if (bold !== undefined) return { kind: "strong", inner: inline(bold) };
  return { kind: "emphasis", inner: inline(emphasis ?? alsoEmphasis ?? "") };
}

export function isHarmless(address: string): boolean {
  return /^(?:https?:\/\/|mailto:|\/(?!\/)|#)/i.test(address);
}
