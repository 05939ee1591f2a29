/** Changes as the server tells them. Whoever watches loads anew what an event says has changed. */

export interface Change {
  kind: string;
  dag_id?: string;
  run_id?: string;
  task_id?: string;
  state?: string | null;
}

/** `null`: something may have been missed, so load everything anew. */
export type Watcher = (changes: Change[] | null) => void;

/** How changes come: told at once, looked for every few seconds, or not at all. */
export type Contact = "live" | "polling" | "lost";

/** What the stream and the clock are, so that tests can be both. */
export interface World {
  /** The first one begins with what has changed since the page was served. */
  open: (isFirst: boolean) => Stream;
  /** Whether the server answers at all. */
  answers: () => Promise<boolean>;
  after: (milliseconds: number, work: () => void) => () => void;
}

export interface Stream {
  addEventListener: (name: string, listener: (event: MessageEvent<string>) => void) => void;
  close: () => void;
  /** 2: closed for good, as after an answer that is no stream. */
  readonly readyState: number;
}

const kinds = ["task_instance", "dag_run", "dag", "asset", "import_error", "pool", "job"];
/** Many tasks change in the same moment: who shows them loads once. */
const gathering = 100;
/** How long the stream may take to begin before the page looks for itself. */
const patience = 4_000;
const pollEvery = 5_000;
const closed = 2;

const browser: World = {
  open: (isFirst) => new EventSource(streamAddress(document, isFirst)),
  answers: async () => {
    try {
      // Whatever it says, it is there: who has to log in again hears so from what is loaded anew.
      return (await fetch("/api/v2/version", { cache: "no-store" })).status < 500;
    } catch {
      return false;
    }
  },
  after: (milliseconds, work) => {
    const timer = window.setTimeout(work, milliseconds);
    return () => {
      window.clearTimeout(timer);
    };
  },
};

/**
 * What is asked for before the stream begins may be old by then. The server wrote into the page which change was the last
 * one, and tells the first stream what came after it; all others come after everything was loaded anew.
 */
export function streamAddress(page: Pick<Document, "querySelector">, isFirst: boolean): string {
  if (!isFirst) return "/ui/events";
  const mark = page.querySelector<HTMLMetaElement>('meta[name="live-mark"]')?.content ?? "0";
  return `/ui/events?since=${encodeURIComponent(mark)}`;
}

/**
 * Watch until the returned function is called.
 *
 * Browsers open a broken stream again by themselves. For as long as there is none, everything is loaded anew every few
 * seconds; a stream that the server has refused is asked for again each time.
 */
export function watch(watcher: Watcher, tell: (contact: Contact) => void = () => undefined, world = browser) {
  const gathered = gather(watcher);
  let stream = open(true);
  let cancel = world.after(patience, look);
  let isOver = false;
  let isLive = false;
  let hasPolled = false;

  function open(isFirst: boolean): Stream {
    const opened = world.open(isFirst);
    for (const kind of kinds) {
      opened.addEventListener(kind, (event) => {
        gathered(JSON.parse(event.data) as Change);
      });
    }
    opened.addEventListener("resync", () => {
      watcher(null);
    });
    opened.addEventListener("open", () => {
      isLive = true;
      cancel();
      tell("live");
      // What changed since the page looked last was told to nobody.
      if (hasPolled) watcher(null);
      hasPolled = false;
    });
    opened.addEventListener("error", () => {
      // Each attempt of the browser to open it again that fails says so: the page looks already.
      if (!isLive) return;
      isLive = false;
      cancel = world.after(pollEvery, look);
    });
    return opened;
  }

  function look(): void {
    void world.answers().then((isThere) => {
      if (isOver || isLive) return;
      hasPolled = true;
      tell(isThere ? "polling" : "lost");
      if (isThere) watcher(null);
      if (stream.readyState === closed) stream = open(false);
      cancel = world.after(pollEvery, look);
    });
  }

  return () => {
    isOver = true;
    cancel();
    stream.close();
  };
}

/** Tells what comes within a tenth of a second at once. */
export function gather(watcher: Watcher): (change: Change) => void {
  let changes: Change[] = [];
  return (change) => {
    changes.push(change);
    if (changes.length > 1) return;
    setTimeout(() => {
      const told = changes;
      changes = [];
      watcher(told);
    }, gathering);
  };
}
