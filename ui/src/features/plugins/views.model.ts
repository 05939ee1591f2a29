/** Where views of plugins lead to. */
import type { PluginView } from "~/api/pluginViews";

/** What is looked at. */
export interface Place {
  dagId?: string;
  runId?: string;
  taskId?: string;
  mapIndex?: number;
}

const placeholders: Record<string, keyof Place> = {
  DAG_ID: "dagId",
  RUN_ID: "runId",
  TASK_ID: "taskId",
  MAP_INDEX: "mapIndex",
};

/**
 * The address of a link or a frame, with what is looked at filled in. Each value stays one word of it: no name of a run
 * leads elsewhere. Undefined: it leads to nothing that a page may lead to. (The server has looked at it, too.)
 */
export function addressOf({ href }: Pick<PluginView, "href">, place: Place = {}): string | undefined {
  const filled = href.replace(/\{([A-Z_]+)\}/g, (written, name: string) => {
    const key = placeholders[name];
    const value = key === undefined ? undefined : place[key];
    return value === undefined ? written : encodeURIComponent(value);
  });
  try {
    const { protocol } = new URL(filled, "https://here.invalid");
    return protocol === "http:" || protocol === "https:" ? filled : undefined;
  } catch {
    return undefined;
  }
}

/** Whether an address is on another server: that is said, and opened beside the page. */
export function isElsewhere(address: string): boolean {
  return /^https?:/i.test(address);
}

/** The server that shows it, for people. */
export function hostOf(address: string): string {
  return isElsewhere(address) ? new URL(address).host : "this server";
}

/** The tab of a view, as it is in addresses. */
export function tabOfView({ route }: Pick<PluginView, "route">): string {
  return `plugin/${route ?? ""}`;
}
