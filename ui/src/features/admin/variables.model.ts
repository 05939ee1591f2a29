/** Variables as files of them have them: `{"key": value}`, or `{"key": {"value": value, "description": text}}`. */
import { parseJsonObject } from "~/lib/jsonObject";

export interface Variable {
  key: string;
  value?: string | null;
  description: string | null;
}

/** What stands in the place of a value that is not shown. */
export const hidden = "***";

/** The text of a file, and the keys whose values nobody may see: they are left out, or else they would be lost when the
 * file is read again. */
export function exported(variables: readonly Variable[]): { text: string; leftOut: string[] } {
  const shown = variables.filter(({ value }) => value != null && value !== hidden);
  const entries = shown.map(({ key, value, description }) => {
    const content = meant(value ?? "");
    return [key, description === null ? content : { value: content, description }] as const;
  });
  return {
    text: JSON.stringify(Object.fromEntries(entries), null, 2),
    leftOut: variables.filter((each) => !shown.includes(each)).map(({ key }) => key),
  };
}

/** JSON of objects and lists is written as such; all else stays a text, so that it comes back as it was. */
function meant(value: string): unknown {
  if (!/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

export interface Entity {
  key: string;
  value: string;
  description?: string;
}

/**
 * What a file has.
 *
 * @throws Error - in words for whoever chose the file.
 */
export function imported(text: string): Entity[] {
  const read = parseJsonObject(text, 'A file of variables is an object, such as {"key": "value"}.');
  return Object.entries(read).map(([key, value]) => entity(key, value));
}

function entity(key: string, value: unknown): Entity {
  if (isDescribed(value)) {
    const { description } = value;
    return { key, value: written(value.value), ...(typeof description === "string" && { description }) };
  }
  return { key, value: written(value) };
}

function isDescribed(value: unknown): value is { value: unknown; description?: unknown } {
  if (typeof value !== "object" || value === null || !("value" in value)) return false;
  return Object.keys(value).every((name) => name === "value" || name === "description");
}

function written(value: unknown): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
