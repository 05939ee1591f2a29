/** What is wrong, in one line: the last one of the trace. What to do about it comes after that. */
export function reasonOf(trace: string): string {
  const lines = trace.split("\n").filter((line) => line.trim() !== "");
  return (lines.findLast((line) => !line.startsWith("What to do")) ?? "").trim();
}
