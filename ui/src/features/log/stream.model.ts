/** Lines of JSON out of texts that end anywhere. */

/** A function that is given the next text and returns what was completed by it. */
export function lineReader(): (text: string) => unknown[] {
  let rest = "";
  return (text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop() ?? "";
    return lines.filter((line) => line !== "").map(parsed);
  };
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return line;
  }
}
