/** Days and hours of a calendar, and what is in them. Days are texts, `2026-01-31`: they have no zone. */
export type Counts = Partial<Record<string, number>>;

/** What a calendar shows: a year by days, or a month by hours. */
export interface When {
  year: number;
  /** 1 to 12; undefined: the whole year. */
  month: number | undefined;
}

const pattern = /^(\d{4})(?:-(0[1-9]|1[0-2]))?$/;

/** As an address says it; else the year of the present. */
export function whenOf(text: string | undefined, today: string): When {
  const found = pattern.exec(text ?? "") ?? pattern.exec(today.slice(0, 4));
  return { year: Number(found?.[1] ?? 1970), month: found?.[2] === undefined ? undefined : Number(found[2]) };
}

export function written({ year, month }: When): string {
  const years = String(year).padStart(4, "0");
  return month === undefined ? years : `${years}-${String(month).padStart(2, "0")}`;
}

/** The year or month before or after. */
export function shifted({ year, month }: When, step: number): When {
  if (month === undefined) return { year: year + step, month };
  const months = year * 12 + month - 1 + step;
  return { year: Math.floor(months / 12), month: (months % 12) + 1 };
}

/** The days of a month, in its weeks from Monday on; undefined where a day is of another month. */
export function weeks(year: number, month: number): (string | undefined)[][] {
  const before = (new Date(Date.UTC(year, month - 1, 1)).getUTCDay() + 6) % 7;
  const cells: (string | undefined)[] = [...new Array<undefined>(before).fill(undefined), ...days(year, month)];
  while (cells.length % 7 !== 0) cells.push(undefined);
  return Array.from({ length: cells.length / 7 }, (_, week) => cells.slice(week * 7, week * 7 + 7));
}

export function days(year: number, month: number): string[] {
  const last = new Date(Date.UTC(year, month, 0)).getUTCDate();
  const prefix = written({ year, month });
  return Array.from({ length: last }, (_, day) => `${prefix}-${String(day + 1).padStart(2, "0")}`);
}

export function range(when: When): { first: string; last: string } {
  const { year, month } = when;
  if (month !== undefined) return { first: days(year, month)[0] ?? "", last: days(year, month).at(-1) ?? "" };
  return { first: `${written({ year, month: 1 })}-01`, last: `${written({ year, month: 12 })}-31` };
}

const order = ["failed", "running", "queued", "success"];

/** The state that stands for a span, how much of it has that state in percent, and what most of the rest has. */
export function look(counts: Counts): { state: string; share: number; rest: string } | undefined {
  const [state, ...others] = order.filter((each) => (counts[each] ?? 0) > 0);
  if (state === undefined) return undefined;
  const all = Object.values(counts).reduce<number>((sum, each) => sum + (each ?? 0), 0);
  // A single failure among many is seen too.
  const share = Math.max(leastShare, Math.round((100 * (counts[state] ?? 0)) / all));
  return { state, share, rest: others.at(-1) ?? state };
}

const leastShare = 25;

/** `3 success, 1 failed, 2 to come`. */
export function words(counts: Counts | undefined, toCome: number): string {
  const parts = order.filter((each) => counts?.[each]).map((each) => `${counts?.[each] ?? 0} ${each}`);
  if (toCome > 0) parts.push(`${toCome} to come`);
  return parts.join(", ") || "no runs";
}

/** What is done to the clocks on a day; undefined: nothing. */
export function clockWords(minutes: number): string | undefined {
  if (minutes === 0) return undefined;
  const size = Math.abs(minutes) % 60 === 0 ? `${Math.abs(minutes) / 60} h` : `${Math.abs(minutes)} min`;
  return minutes > 0 ? `clocks go forward ${size}` : `clocks go back ${size}`;
}
