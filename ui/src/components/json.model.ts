/** Values of JSON for people. */

/** More are not drawn: nobody reads them one by one. */
const most = 500;
const long = 80;

export interface Children {
  shown: [string, unknown][];
  more: number;
}

/** What is in a list or an object; nothing of anything else. */
export function childrenOf(value: unknown): Children | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const all = Object.entries(value);
  return { shown: all.slice(0, most), more: Math.max(0, all.length - most) };
}

/** In the place of what is folded. */
export function summaryOf(value: unknown): string {
  if (Array.isArray(value)) return value.length === 1 ? "[1 value]" : `[${value.length} values]`;
  const count = typeof value === "object" && value !== null ? Object.keys(value).length : 0;
  return count === 1 ? "{1 field}" : `{${count} fields}`;
}

/** A text without quotes is easier to read, and to copy. */
export function written(value: unknown): string {
  return typeof value === "string" && value !== "" ? value : JSON.stringify(value ?? null);
}

export function isLong(text: string): boolean {
  return text.length > long || text.includes("\n");
}

/** As a person would type it, to be edited. */
export function pretty(value: unknown): string {
  return JSON.stringify(value ?? null, null, 2);
}
