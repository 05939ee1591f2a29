/**
 * The object that a text of JSON is; no text is an empty one.
 *
 * @throws Error - in words for whoever typed it.
 */
export function parseExtra(text: string): Record<string, unknown> {
  if (text.trim() === "") return {};
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch (error) {
    throw new Error(`This is no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (typeof read !== "object" || read === null || Array.isArray(read)) {
    throw new Error('It is a JSON object, such as {"key": "value"}.');
  }
  return read as Record<string, unknown>;
}
