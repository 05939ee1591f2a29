/** The way to the server. Its types are made from the server's own OpenAPI document. */
import createClient, { type Middleware } from "openapi-fetch";

import type { components, paths } from "./schema";

export type Schemas = components["schemas"];

/** What the server answered instead of what was asked for. */
export class Refused extends Error {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(message);
  }
}

/** Nobody answered. */
export class Unreachable extends Error {
  constructor() {
    super("The server does not answer.");
  }
}

const throwing: Middleware = {
  onError: () => new Unreachable(),
  async onResponse({ response }) {
    if (response.ok) return undefined;
    if (response.status === 401) logIn();
    throw new Refused(response.status, await reasonOf(response));
  },
};

export const api = createClient<paths>({ baseUrl: "/", credentials: "same-origin" });
api.use(throwing);

/** Go where people log in, and come back here afterwards. */
export function logIn(): void {
  const here = window.location.pathname + window.location.search;
  window.location.assign(`/auth/login?next=${encodeURIComponent(here)}`);
}

/** The body of an answer, which has one: everything else was thrown. */
export async function data<T>(answer: Promise<{ data?: T }>): Promise<T> {
  const { data: body } = await answer;
  if (body === undefined) throw new Refused(500, "The server gave an empty answer");
  return body;
}

/** What is wrong, as far as the answer says so. */
export async function reasonOf(response: Response): Promise<string> {
  const fallback = `${response.status} ${response.statusText}`;
  try {
    return detailOf(await response.clone().json()) ?? fallback;
  } catch {
    return fallback;
  }
}

/** What is wrong, as the server says it: a text, or a list of values of the wrong kind. */
export function detailOf(body: unknown): string | undefined {
  if (typeof body !== "object" || body === null || !("detail" in body)) return undefined;
  const { detail } = body;
  if (typeof detail === "string") return detail;
  if (!Array.isArray(detail)) return JSON.stringify(detail);
  return detail.map((each: unknown) => wrongValue(each)).join("; ");
}

function wrongValue(each: unknown): string {
  if (typeof each !== "object" || each === null || !("msg" in each)) return JSON.stringify(each);
  const place = "loc" in each && Array.isArray(each.loc) ? each.loc.slice(1).join(".") : "";
  return place ? `${place}: ${String(each.msg)}` : String(each.msg);
}
