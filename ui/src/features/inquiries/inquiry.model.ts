/** What tasks ask people, and what people answer. */
import type { Schemas } from "~/api/client";
import type { Values } from "~/components/params/fields.model";

export type Inquiry = Schemas["HITLDetail"];

/** Whether an answer would still be heard. */
export function isOpen({ response_received: isAnswered, task_instance: task }: Inquiry): boolean {
  return !isAnswered && (task.state === "awaiting_input" || task.state === "running" || task.state === "deferred");
}

/** Why somebody may not answer; undefined: they may. */
export function refusalFor({ assigned_users: assigned = [] }: Inquiry, name: string | undefined): string | undefined {
  if (assigned.length === 0 || assigned.some(({ id }) => id === name)) return undefined;
  return `Only ${assigned.map((each) => each.name).join(", ")} may answer.`;
}

/** Who answered, or that nobody did in time. */
export function answeredBy({ responded_by_user: user }: Inquiry): string {
  return user ? user.name : "nobody in time: this is the default";
}

export interface Prefilled {
  options: string[];
  params: Values;
}

/** An answer that a link fills in: `_options` as Python writes a list, and params by their names. */
export function prefilled(search: Record<string, unknown>, { options, params = {} }: Inquiry): Prefilled {
  const written = typeof search._options === "string" ? search._options : JSON.stringify(search._options ?? "");
  const chosen = options.filter(
    (option) => written.includes(`'${option}'`) || written.includes(JSON.stringify(option)),
  );
  const known = Object.entries(search).filter(([name]) => name in params && !name.startsWith("_"));
  return { options: chosen, params: Object.fromEntries(known) };
}

/** With one option more or less; in the order of the question. */
export function toggled({ options }: Inquiry, chosen: readonly string[], option: string): string[] {
  return options.filter((each) => (each === option ? !chosen.includes(each) : chosen.includes(each)));
}
