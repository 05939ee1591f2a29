/** Instants and durations as people read them. */

const units = [
  ["d", 86_400],
  ["h", 3_600],
  ["m", 60],
  ["s", 1],
] as const;

/** `1h 5m`, `12s`, `0.4s`: the two largest units that matter. */
export function duration(seconds: number): string {
  if (seconds < 10) return `${(Math.floor(seconds * 10) / 10).toString()}s`;
  const first = units.findIndex(([, size]) => seconds >= size);
  let rest = Math.floor(seconds);
  const parts: string[] = [];
  for (const [name, size] of units.slice(first, first + 2)) {
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count > 0) parts.push(`${count}${name}`);
  }
  return parts.join(" ");
}

/** Seconds between two instants; until now if there is no second one. */
export function between(start: string | null, end: string | null, now: number): number | undefined {
  if (start === null) return undefined;
  return Math.max(0, ((end === null ? now : Date.parse(end)) - Date.parse(start)) / 1000);
}

/** The instant in the chosen zone, with seconds; `dates`: the language whose way of writing is wanted. */
export function instant(text: string, zone: string, dates = "iso"): string {
  if (dates !== "iso") {
    return new Intl.DateTimeFormat(dates, { timeZone: zone, dateStyle: "medium", timeStyle: "medium" }).format(
      new Date(text),
    );
  }
  const parts = new Intl.DateTimeFormat("en-GB", {
    timeZone: zone,
    year: "numeric",
    month: "2-digit",
    day: "2-digit",
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hourCycle: "h23",
  }).formatToParts(new Date(text));
  const found = new Map(parts.map(({ type, value }) => [type, value]));
  const get = (type: Intl.DateTimeFormatPartTypes) => found.get(type) ?? "";
  return `${get("year")}-${get("month")}-${get("day")} ${get("hour")}:${get("minute")}:${get("second")}`;
}

/** How far an instant is from now: `in 5m`, `3h ago`. */
export function distance(text: string, now: number): string {
  const seconds = (Date.parse(text) - now) / 1000;
  if (Math.abs(seconds) < 1) return "now";
  const span = duration(Math.max(1, Math.abs(seconds))).split(" ")[0] ?? "";
  return seconds > 0 ? `in ${span}` : `${span} ago`;
}

/** A sentence of the server, with its moments as people read them. */
export function readable(sentence: string, zone: string): string {
  return sentence.replace(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:[+-]\d\d:\d\d|Z)/g, (moment) =>
    instant(moment, zone),
  );
}
