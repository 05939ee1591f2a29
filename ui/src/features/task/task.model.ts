/** The tabs of a task instance, and what is told in them. */
import type { Schemas } from "~/api/client";

export const taskTabs = [
  ["logs", "Logs"],
  ["required_actions", "Required action"],
  ["rendered_templates", "Rendered templates"],
  ["xcom", "XCom"],
  ["state_store", "Kept values"],
  ["attempts", "Attempts"],
  ["asset_events", "Asset events"],
  ["audit_log", "Audit log"],
  ["details", "Details"],
] as const;

export type TaskTab = (typeof taskTabs)[number][0];

/** The tab of an address; the log where it names none. */
export function tabOf(name: string | undefined, available: readonly TaskTab[]): TaskTab {
  return available.find((each) => each === name) ?? "logs";
}

export interface Has {
  question: boolean;
  auditLog: boolean;
}

/** Those that have something to show to whoever looks. */
export function availableTabs({ question, auditLog }: Has): TaskTab[] {
  const hidden = new Set<string>();
  if (!question) hidden.add("required_actions");
  if (!auditLog) hidden.add("audit_log");
  return taskTabs.map(([name]) => name).filter((name) => !hidden.has(name));
}

/** The try that is shown: the chosen one, if there was such. */
export function shownTry(chosen: number | undefined, latest: number): number {
  return chosen === undefined || chosen < 1 || chosen > latest ? latest : chosen;
}

type Attempt = Schemas["TaskAttemptResponse"];

/** What one hand-over used, for people. */
export function usedBy({ cpu_seconds: cpu, peak_memory_bytes: memory }: Attempt): { cpu: string; memory: string } {
  return { cpu: cpu === null ? "" : `${cpu.toFixed(2)} s`, memory: memory === null ? "" : bytes(memory) };
}

const units = ["B", "kB", "MB", "GB", "TB"];

export function bytes(count: number): string {
  let rest = count;
  let unit = 0;
  while (rest >= 1000 && unit < units.length - 1) {
    rest /= 1000;
    unit += 1;
  }
  return `${unit === 0 || rest >= 100 ? Math.round(rest) : rest.toFixed(1)} ${units[unit] ?? ""}`;
}

/** What links of operators may lead to. The server looks at it too; nothing here trusts what a task wrote. */
export function isSafeLink(address: string): boolean {
  try {
    return ["http:", "https:", "ftp:", "mailto:"].includes(new URL(address, "https://here.invalid").protocol);
  } catch {
    return false;
  }
}
