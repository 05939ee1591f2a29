/** What people do to several DAGs at once. */

export interface ChosenDag {
  dagId: string;
  title: string;
  isPaused: boolean;
}

export type Choice = ReadonlyMap<string, ChosenDag>;

export type Deed = "pause" | "unpause" | "trigger" | "clear" | "delete";

export const deeds: readonly Deed[] = ["pause", "unpause", "trigger", "clear", "delete"];

/** What is written on the button that asks for it. */
export const deedTitles: Record<Deed, string> = {
  pause: "Pause",
  unpause: "Unpause",
  trigger: "Trigger",
  clear: "Clear failed",
  delete: "Delete",
};

/** With these as well, or without them. */
export function changed(choice: Choice, dags: readonly ChosenDag[], isChosen: boolean): Choice {
  const next = new Map(choice);
  for (const dag of dags) {
    if (isChosen) next.set(dag.dagId, dag);
    else next.delete(dag.dagId);
  }
  return next;
}

export interface Concerned {
  dags: ChosenDag[];
  /** Those that stay as they are, and why. */
  others: { dag: ChosenDag; reason: string }[];
}

/** Whom a deed is about: those that are not so already, and that whoever asks may change. */
export function concerned(
  choice: Choice,
  deed: Deed,
  refusal: (action: "edit" | "delete", dagId: string) => string | undefined,
): Concerned {
  const found: Concerned = { dags: [], others: [] };
  for (const dag of choice.values()) {
    const reason =
      (deed === "pause" && dag.isPaused && "It is paused already.") ||
      (deed === "unpause" && !dag.isPaused && "It is not paused.") ||
      refusal(deed === "delete" ? "delete" : "edit", dag.dagId);
    if (reason) found.others.push({ dag, reason });
    else found.dags.push(dag);
  }
  return found;
}

export interface Outcome {
  /** How many are over, well or not. */
  over: number;
  problems: { dagId: string; message: string }[];
}

const atOnce = 4;

/** Does something for each, a few at once. Who fails keeps no other from it. */
export async function forEach<Item extends { dagId: string }>(
  items: readonly Item[],
  work: (item: Item) => Promise<unknown>,
  onProgress: (outcome: Outcome) => void,
): Promise<Outcome> {
  let outcome: Outcome = { over: 0, problems: [] };
  const waiting = [...items];
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      const { dagId } = item;
      const problem = await work(item).then(
        () => undefined,
        (error: unknown) => ({ dagId, message: error instanceof Error ? error.message : String(error) }),
      );
      outcome = { over: outcome.over + 1, problems: problem ? [...outcome.problems, problem] : outcome.problems };
      onProgress(outcome);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  return outcome;
}

/** `3 DAGs`. */
export function counted(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? "" : "s"}`;
}
