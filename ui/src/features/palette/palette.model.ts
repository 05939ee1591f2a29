/** What a person may mean by what they have typed. */

export interface Command {
  /** Unlike that of every other one. */
  id: string;
  title: string;
  /** What kind of thing it is. */
  kind: "Page" | "DAG" | "Run" | "Task" | "Group" | "Action";
  /** Beside the title. */
  detail?: string;
  /** Other words by which it is found. */
  also?: string;
  /** Belongs to what is looked at: before others that fit as well. */
  isNear?: boolean;
  run: () => void;
}

const most = 40;
/** Less than what lies between a part of a word and a whole one. */
const nearness = 0.5;
const kinds: Command["kind"][] = ["Page", "DAG", "Task", "Group", "Run", "Action"];

/** Those that fit, by kind, the best of each kind first. What the server has found fits already: `isFound`. */
export function fitting(
  commands: readonly Command[],
  query: string,
  isFound: (command: Command) => boolean,
): Command[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const rated = commands
    .map((command) => ({ command, rate: rating(command, words) + (isFound(command) ? 1 : 0) }))
    .filter(({ rate }) => rate > 0)
    .map(({ command, rate }) => ({ command, rate: rate + (command.isNear ? nearness : 0) }));
  const best = (kind: Command["kind"]) =>
    Math.max(0, ...rated.filter(({ command }) => command.kind === kind).map(({ rate }) => rate));
  const order = words.length === 0 ? kinds : [...kinds].sort((one, other) => best(other) - best(one));
  return rated
    .sort((one, other) => order.indexOf(one.command.kind) - order.indexOf(other.command.kind) || other.rate - one.rate)
    .slice(0, most)
    .map(({ command }) => command);
}

/** 0: does not fit. A title that begins so is better than a word in it, and that is better than a part of a word. */
export function rating({ title, also = "", detail = "" }: Command, words: readonly string[]): number {
  if (words.length === 0) return 1;
  const name = title.toLowerCase();
  const beside = `${also} ${detail}`.toLowerCase();
  let sum = 0;
  for (const word of words) {
    const rate = rateIn(name, word) || (beside.includes(word) ? 1 : 0);
    if (rate === 0) return 0;
    sum += rate;
  }
  return sum / words.length + (name === words.join(" ") ? 2 : 0);
}

function rateIn(name: string, word: string): number {
  const at = name.indexOf(word);
  if (at === 0) return 6;
  if (at > 0) return /[^a-z0-9]/.test(name[at - 1] ?? "") ? 4 : 3;
  return isSpread(name, word) ? 1.5 : 0;
}

/** Whether its letters come in this order, as in `wsld` for `warehouse_sales_load`: at the beginnings of words, or after
 * one another. */
function isSpread(name: string, word: string): boolean {
  if (word.length < 2) return false;
  let at = -1;
  for (const letter of word) {
    const next = name.indexOf(letter, at + 1);
    if (next < 0) return false;
    const isBegin = next === 0 || /[^a-z0-9]/.test(name[next - 1] ?? "");
    if (!isBegin && next !== at + 1) {
      const begin = beginAfter(name, letter, at + 1);
      if (begin < 0) return false;
      at = begin;
    } else {
      at = next;
    }
  }
  return true;
}

function beginAfter(name: string, letter: string, from: number): number {
  for (let at = from; at < name.length; at += 1) {
    if (name[at] === letter && /[^a-z0-9]/.test(name[at - 1] ?? " ")) return at;
  }
  return -1;
}
