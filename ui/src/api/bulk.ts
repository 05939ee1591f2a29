/** What the server answers where many things are changed at once. */
interface BulkAnswer {
  errors?: { error?: unknown }[];
}

/** Throws what it could not do, in one sentence. */
export function requireAll(answer: BulkAnswer | null | undefined): void {
  const problems = new Set(answer?.errors?.map(({ error }) => String(error)));
  if (problems.size > 0) throw new Error([...problems].join("; "));
}
