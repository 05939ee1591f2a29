/**
 * The object that a text of JSON is.
 *
 * @param otherwise - what to say where it is JSON, but no object.
 * @throws Error - in words for whoever wrote the text.
 */
export function parseJsonObject(text: string, otherwise: string): Record<string, unknown> {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch (error) {
    throw new Error(`This is no JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  if (typeof read !== "object" || read === null || Array.isArray(read)) throw new Error(otherwise);
  return read as Record<string, unknown>;
}
