/** What stands in a form of params, and in the JSON beside it: two looks at the same values. */
import { type ParamField, problemsOf, valueOf, type Values } from "./fields.model";

export interface FormState {
  values: Values;
  /** What was typed into a field, as long as nothing else changes it: `1.` is on its way to `1.5`. */
  typed: Partial<Record<string, string>>;
  /** What is wrong with what was typed into a field. */
  unread: Partial<Record<string, string>>;
  /** The JSON as it was typed. */
  json: string | undefined;
  /** What is wrong with that. */
  jsonProblem: string | undefined;
}

export type FormChange =
  | { kind: "text"; field: ParamField; text: string; zone: string }
  | { kind: "value"; name: string; value: unknown }
  | { kind: "json"; text: string };

export function begin(values: Values): FormState {
  return { values, typed: {}, unread: {}, json: undefined, jsonProblem: undefined };
}

export function changed(state: FormState, change: FormChange): FormState {
  switch (change.kind) {
    case "json":
      return withJson(state, change.text);
    case "value":
      return withValue(state, change.name, change.value);
    case "text": {
      const { name } = change.field;
      const read = valueOf(change.field, change.text, change.zone);
      const typed = { ...state.typed, [name]: change.text };
      if ("problem" in read) return { ...state, typed, unread: { ...state.unread, [name]: read.problem } };
      return { ...withValue(state, name, read.value), typed };
    }
  }
}

function withValue(state: FormState, name: string, value: unknown): FormState {
  const values = { ...state.values, [name]: value };
  return { ...state, values, unread: { ...state.unread, [name]: undefined }, json: undefined, jsonProblem: undefined };
}

function withJson(state: FormState, text: string): FormState {
  const { value, problem } = parseConf(text);
  if (value === undefined) return { ...state, json: text, jsonProblem: problem };
  return { values: value, typed: {}, unread: {}, json: text, jsonProblem: undefined };
}

/** The JSON of the values, or what was typed. */
export function jsonOf(state: FormState): string {
  return state.json ?? JSON.stringify(state.values, null, 2);
}

/** By field: what is wrong, as far as a browser can tell. */
export function wrongIn(state: FormState, fields: readonly ParamField[]): Partial<Record<string, string>> {
  const unread = Object.entries(state.unread).filter(([, problem]) => problem !== undefined);
  return { ...problemsOf(fields, state.values), ...Object.fromEntries(unread) };
}

export interface Conf {
  value?: Values;
  problem?: string;
}

/** The configuration of a run, which is a JSON object, or what is wrong with it. */
export function parseConf(text: string): Conf {
  if (text.trim() === "") return { value: {} };
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return { problem: `This is no JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    return { problem: 'A configuration is an object, such as {"day": "2026-01-01"}' };
  }
  return { value: value as Values };
}
