import { parseJsonObject } from "~/lib/jsonObject";

/**
 * The object that a text of JSON is; no text is an empty one.
 *
 * @throws Error - in words for whoever typed it.
 */
export function parseExtra(text: string): Record<string, unknown> {
  return text.trim() === "" ? {} : parseJsonObject(text, 'It is a JSON object, such as {"key": "value"}.');
}
