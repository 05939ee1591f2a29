/** Time zones, as people look for them. */

export interface Zone {
  name: string;
  /** As it is now: `UTC+02:00`. */
  offset: string;
}

const most = 60;

/** Those that have all of the words, in their name or their offset: `new york`, `berlin`, `+5:30`. */
export function findZones(names: readonly string[], query: string, now: Date): Zone[] {
  const words = query.toLowerCase().replaceAll("/", " ").split(/\s+/).filter(Boolean);
  const found: Zone[] = [];
  for (const name of names) {
    if (found.length >= most) break;
    const readable = name.toLowerCase().replaceAll(/[/_]/g, " ");
    const inName = words.every((word) => readable.includes(word.replaceAll("_", " ")));
    const offset = inName || words.length === 1 ? offsetOf(name, now) : "";
    if (inName || (words[0] !== undefined && words.length === 1 && isOffset(offset, words[0]))) {
      found.push({ name, offset: offset || offsetOf(name, now) });
    }
  }
  return found;
}

/** Of a zone at an instant. */
export function offsetOf(zone: string, at: Date): string {
  const parts = new Intl.DateTimeFormat("en", { timeZone: zone, timeZoneName: "longOffset" }).formatToParts(at);
  const offset = parts.find(({ type }) => type === "timeZoneName")?.value ?? "";
  return /^GMT(\+00:00)?$/.test(offset) ? "UTC" : offset.replace("GMT", "UTC");
}

function isOffset(offset: string, word: string): boolean {
  if (!/^(utc)?[+-]\d/.test(word)) return false;
  const [sign = "", hours = "", minutes = ""] = /^(?:utc)?([+-])(\d{1,2})(?::?(\d{1,2}))?/.exec(word)?.slice(1) ?? [];
  return offset.startsWith(`UTC${sign}${hours.padStart(2, "0")}:${minutes}`);
}
