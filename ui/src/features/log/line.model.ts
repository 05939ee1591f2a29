/** Messages of a log as rows of text. */

export const levels = ["debug", "info", "warning", "error", "critical"] as const;

export type Level = (typeof levels)[number];

/** What one message becomes: a row for its text, and more rows for what belongs below it. */
export interface Message {
  /** Milliseconds; not a number where the message has no time. */
  at: number;
  level: Level;
  /** The logger that it came from; empty where nobody knows. */
  source: string;
  lines: string[];
  /** Whether it begins a group of messages that are folded together, or ends one. */
  group: "begin" | "end" | undefined;
}

/** Longer lines are cut: whoever needs all of it downloads the log. */
const longest = 20_000;
const known = new Set(["event", "timestamp", "level", "logger", "filename", "lineno", "error_detail", "stack"]);
const begin = "::group::";
const end = "::endgroup::";
/** All that is no text, but for colours, which `ansi.model.ts` reads, and tabs. */
const control = /[\u0000-\u0008\u000b\u000c\u000e-\u001a\u001c-\u001f\u007f-\u009f]/g;

/** A message as the server sends it: an object with whatever it was logged with, or a plain text. */
export function messageOf(value: unknown): Message {
  if (typeof value !== "object" || value === null) {
    return plain(typeof value === "string" ? value : JSON.stringify(value));
  }
  const fields = value as Record<string, unknown>;
  const event = typeof fields.event === "string" ? fields.event : JSON.stringify(fields.event ?? "");
  const rest = Object.entries(fields).filter(([name]) => !known.has(name));
  const isGroup = event.startsWith(begin);
  // What a group begins with is its title; its fields are folded away with the rest.
  const head = isGroup
    ? [event.slice(begin.length), ...rest.map(field)].join("\n")
    : [event, ...rest.map(field)].join(" ");
  return {
    at: typeof fields.timestamp === "string" ? Date.parse(fields.timestamp) : NaN,
    level: levelOf(fields.level),
    source: typeof fields.logger === "string" ? fields.logger : "",
    lines: [...cleaned(head), ...stackOf(fields.stack), ...tracebacks(fields.error_detail)],
    group: groupOf(event),
  };
}

function plain(text: string): Message {
  const shown = text.startsWith(begin) ? text.slice(begin.length) : text;
  return { at: NaN, level: "info", source: "", lines: cleaned(shown), group: groupOf(text) };
}

function groupOf(event: string): Message["group"] {
  if (event.startsWith(begin)) return "begin";
  return event.startsWith(end) ? "end" : undefined;
}

function field([name, value]: [string, unknown]): string {
  const written = typeof value === "string" && value.trim() !== "" ? value : JSON.stringify(value);
  return `${name}=${written}`;
}

function levelOf(value: unknown): Level {
  const name = typeof value === "string" ? value.toLowerCase() : "";
  if (name === "warn") return "warning";
  return levels.find((each) => each === name) ?? "info";
}

function cleaned(text: string): string[] {
  return text.split("\n").map((line) => {
    // A progress bar writes over itself: a terminal would show what is behind the last carriage return.
    const last = line.replace(/\r+$/, "");
    const shown = last.slice(last.lastIndexOf("\r") + 1).replace(control, "");
    return shown.length > longest ? `${shown.slice(0, longest)}… (${shown.length - longest} more characters)` : shown;
  });
}

function stackOf(stack: unknown): string[] {
  return typeof stack === "string" ? cleaned(stack) : [];
}

interface Frame {
  filename?: unknown;
  lineno?: unknown;
  name?: unknown;
}

interface Failure {
  exc_type?: unknown;
  exc_value?: unknown;
  exc_notes?: unknown;
  frames?: unknown;
  is_cause?: unknown;
}

/** Of an exception and those that it came from, as Python prints them: what came first stands first. */
function tracebacks(errors: unknown): string[] {
  const failures = objects<Failure>(errors).reverse();
  return failures.flatMap((failure, position) => [...between(failures[position - 1]), ...traceback(failure)]);
}

function between(before: Failure | undefined): string[] {
  if (before === undefined) return [];
  return before.is_cause === true
    ? ["", "The above exception was the direct cause of the following exception:", ""]
    : ["", "During handling of the above exception, another exception occurred:", ""];
}

function traceback(failure: Failure): string[] {
  const frames = objects<Frame>(failure.frames).map(
    ({ filename, lineno, name }) => `  File "${word(filename)}", line ${word(lineno)}, in ${word(name)}`,
  );
  const value = word(failure.exc_value, "");
  const what = value === "" ? word(failure.exc_type) : `${word(failure.exc_type)}: ${value}`;
  const notes = Array.isArray(failure.exc_notes) ? failure.exc_notes.map((note) => word(note)) : [];
  return ["Traceback (most recent call last):", ...frames, ...cleaned([what, ...notes].join("\n"))];
}

function word(value: unknown, missing = "?"): string {
  if (value === undefined || value === null) return missing;
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** Of what should be a list of objects: whoever logs may put anything there. */
function objects<T extends object>(value: unknown): T[] {
  if (!Array.isArray(value)) return [];
  return value.filter((each): each is T => typeof each === "object" && each !== null);
}
