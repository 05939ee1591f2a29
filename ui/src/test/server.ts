/** A server for tests of components: it answers what a test says, and nothing else. Set up before all tests. */
import { afterEach } from "vitest";

type Answer = (request: Request) => unknown;

let answers: [string, Answer][] = [];
let asked: Request[] = [];

globalThis.fetch = async (input, init) => {
  const request = input instanceof Request ? input : new Request(input, init);
  asked.push(request);
  const path = new URL(request.url).pathname;
  const [, answer] = answers.find(([known]) => `${request.method} ${path}` === known) ?? [];
  if (answer === undefined) return reply(404, { detail: `No test answers ${request.method} ${path}` });
  const body = await answer(request);
  return body instanceof Response ? body : reply(200, body);
};

afterEach(() => {
  answers = [];
  asked = [];
});

/** From now on, for example `answer("GET /ui/grid/sales", () => ({ rows: [], runs: [] }))`. */
export function answer(to: string, how: Answer): void {
  answers.unshift([to, how]);
}

export function refuse(to: string, status: number, detail: string): void {
  answer(to, () => reply(status, { detail }));
}

/** What was asked of it, with the bodies, by method and path. */
export async function askedFor(what: string): Promise<unknown[]> {
  const found = asked.filter(({ method, url }) => `${method} ${new URL(url).pathname}` === what);
  return Promise.all(found.map((request) => request.clone().json() as Promise<unknown>));
}

function reply(status: number, body: unknown): Response {
  return new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json" } });
}
