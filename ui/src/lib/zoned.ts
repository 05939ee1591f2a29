/** Instants as fields of forms know them, which have no zone: `2026-01-31T12:30:00`, meant in the chosen one. */

const dayLength = 86_400_000;

/** An instant, as the clocks of a zone show it. Empty where it is none. */
export function inZone(text: string, zone: string): string {
  const at = Date.parse(text);
  if (Number.isNaN(at)) return "";
  return new Date(at + offset(at, zone)).toISOString().slice(0, 19);
}

/** The instant at which the clocks of a zone show this. Undefined where it is no time. */
export function fromZone(local: string, zone: string): string | undefined {
  const wanted = Date.parse(`${local}Z`);
  if (Number.isNaN(wanted)) return undefined;
  // Around a change of the clocks, the offsets of the day before and after are the ones that can be meant.
  const candidates = [wanted - offset(wanted - dayLength, zone), wanted - offset(wanted + dayLength, zone)];
  const at = candidates.find((each) => each + offset(each, zone) === wanted) ?? candidates[0] ?? wanted;
  return new Date(at).toISOString().replace(".000Z", "Z");
}

/** By how much the clocks of a zone are changed on a day (`2026-03-29`), in minutes: 60, -60, mostly 0. */
export function clockChange(day: string, zone: string): number {
  const at = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(at)) return 0;
  const begin = at - offset(at, zone);
  const next = at + dayLength - offset(at + dayLength, zone);
  return (offset(next, zone) - offset(begin, zone)) / 60_000;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** How far the zone is ahead of UTC at an instant, in milliseconds. */
function offset(at: number, zone: string): number {
  let format = formats.get(zone);
  if (format === undefined) {
    format = new Intl.DateTimeFormat("en-GB", {
      timeZone: zone,
      year: "numeric",
      month: "numeric",
      day: "numeric",
      hour: "numeric",
      minute: "numeric",
      second: "numeric",
      hourCycle: "h23",
    });
    formats.set(zone, format);
  }
  const found = new Map(format.formatToParts(at).map(({ type, value }) => [type, Number(value)]));
  const get = (type: Intl.DateTimeFormatPartTypes) => found.get(type) ?? 0;
  const shown = Date.UTC(get("year"), get("month") - 1, get("day"), get("hour"), get("minute"), get("second"));
  return shown - Math.floor(at / 1000) * 1000;
}
