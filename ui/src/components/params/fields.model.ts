/** Params as fields of a form: what each looks like, and how its text becomes a value. */
import { fromZone, inZone } from "~/lib/zoned";

import { equal, problemWith, type Schema, typeOf, typesOf } from "./schema.model";

export type Kind =
  | "text"
  | "long text"
  | "number"
  | "check"
  | "date"
  | "date-time"
  | "time"
  /** One of a list of values. */
  | "choice"
  /** Some of them. */
  | "choices"
  /** A list of texts or numbers, one in a line. */
  | "lines"
  | "json"
  /** Of several types: what can be read as the others is no text. */
  | "any";

export interface Choice {
  value: unknown;
  label: string;
}

export interface ParamField {
  name: string;
  title: string;
  description: string | undefined;
  isMarkdown: boolean;
  section: string;
  kind: Kind;
  schema: Schema;
  isRequired: boolean;
  choices: Choice[];
  /** That a text may be, among others. */
  suggestions: string[];
}

export type Values = Record<string, unknown>;

interface Param {
  value: unknown;
  schema: Schema;
  description: string | undefined;
}

/** Of a DAG, or of a question: with a schema, or a plain value. */
function paramOf(raw: unknown): Param {
  if (isObject(raw) && "value" in raw && "schema" in raw) {
    const schema = isObject(raw.schema) ? (raw.schema as Schema) : {};
    return {
      value: raw.value,
      schema,
      description: typeof raw.description === "string" ? raw.description : undefined,
    };
  }
  return { value: raw, schema: {}, description: undefined };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** In the order of the DAG. Those that are always the same are not asked for. */
export function fieldsOf(params: Values): ParamField[] {
  return Object.entries(params)
    .map(([name, raw]) => fieldOf(name, paramOf(raw)))
    .filter(({ schema }) => schema.const === undefined);
}

/** What the form begins with; also of those that are not asked for. */
export function defaultsOf(params: Values): Values {
  return Object.fromEntries(Object.entries(params).map(([name, raw]) => [name, paramOf(raw).value ?? null]));
}

function fieldOf(name: string, { value, schema, description }: Param): ParamField {
  const kind = kindOf(schema, value);
  const types = typesOf(schema);
  return {
    name,
    title: schema.title ?? name,
    description: schema.description_md ?? description ?? schema.description,
    isMarkdown: schema.description_md !== undefined,
    section: schema.section ?? "",
    kind,
    schema,
    isRequired: types.length > 0 && !types.includes("null"),
    choices: kind === "choice" || kind === "choices" ? choicesOf(schema) : [],
    suggestions: kind === "text" ? (schema.examples ?? []).map(String) : [],
  };
}

function kindOf(schema: Schema, value: unknown): Kind {
  if (Array.isArray(schema.enum)) return "choice";
  const types = typesOf(schema).filter((type) => type !== "null");
  if (types.length > 1) return "any";
  const type = types[0] ?? (value === null || value === undefined ? "any" : typeOf(value));
  if (type === "array") return kindOfList(schema, value);
  if (type === "string") return kindOfText(schema);
  return kinds[type] ?? "any";
}

const kinds: Partial<Record<string, Kind>> = { boolean: "check", number: "number", integer: "number", object: "json" };

function kindOfText({ format }: Schema): Kind {
  if (format === "multiline") return "long text";
  return format === "date" || format === "time" || format === "date-time" ? format : "text";
}

function kindOfList({ examples, items }: Schema, value: unknown): Kind {
  if (Array.isArray(examples)) return "choices";
  const types = items ? typesOf(items) : [];
  if (types.length > 0) return types.every(isSimple) ? "lines" : "json";
  const values = Array.isArray(value) ? value : [];
  return values.every((each) => typeof each === "string") ? "lines" : "json";
}

function isSimple(type: string): boolean {
  return type === "string" || type === "number" || type === "integer";
}

function choicesOf({ enum: values, examples, values_display: labels }: Schema): Choice[] {
  return (values ?? examples ?? []).map((value) => ({
    value,
    label: labels?.[value === null ? "None" : plain(value)] ?? labels?.[plain(value)] ?? plain(value),
  }));
}

function plain(value: unknown): string {
  if (value === null) return "(none)";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** What the field of a value shows. */
export function textOf({ kind, choices }: ParamField, value: unknown, zone: string): string {
  if (kind === "choice") return String(choices.findIndex((each) => equal(each.value, value)));
  if (value === null || value === undefined) return "";
  switch (kind) {
    case "date-time":
      return typeof value === "string" ? inZone(value, zone) : "";
    case "lines":
      return Array.isArray(value) ? value.map(String).join("\n") : "";
    case "json":
      return JSON.stringify(value, null, 2);
    default:
      return typeof value === "string" ? value : JSON.stringify(value);
  }
}

export type Read = { value: unknown } | { problem: string };

/** The value of what was typed into a field. */
export function valueOf(field: ParamField, text: string, zone: string): Read {
  const { kind, schema, choices } = field;
  if (kind === "choice") return { value: choices[Number(text)]?.value ?? null };
  if (kind === "lines") return linesOf(text, schema);
  if (text === "") return { value: emptyOf(field) };
  return readers[kind]?.(text, schema, zone) ?? { value: text };
}

const readers: Partial<Record<Kind, (text: string, schema: Schema, zone: string) => Read>> = {
  number: (text) => (Number.isNaN(Number(text)) ? { problem: "This is no number" } : { value: Number(text) }),
  "date-time": (text, _, zone) => {
    const value = fromZone(text, zone);
    return value === undefined ? { problem: "This is no time" } : { value };
  },
  time: (text) => ({ value: text.length === "12:30".length ? `${text}:00` : text }),
  json: (text) => jsonOf(text),
  any: (text, schema) => ({ value: guessed(text, schema) }),
};

/** An empty text is a text only where no schema says what is wanted. */
function emptyOf({ kind, schema }: ParamField): unknown {
  return kind === "text" && schema.type === undefined ? "" : null;
}

function linesOf(text: string, schema: Schema): Read {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const types = schema.items ? typesOf(schema.items) : [];
  if (types.includes("string") || types.length === 0) return { value: lines };
  const numbers = lines.map(Number);
  const wrong = numbers.findIndex(Number.isNaN);
  return wrong < 0 ? { value: numbers } : { problem: `Line ${wrong + 1} is no number` };
}

function jsonOf(text: string): Read {
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    return { problem: `This is no JSON: ${error instanceof Error ? error.message : String(error)}` };
  }
}

function guessed(text: string, schema: Schema): unknown {
  const types = typesOf(schema);
  const read = jsonOf(text);
  if ("problem" in read) return text;
  const type = typeOf(read.value);
  const isWanted = types.length === 0 ? type !== "string" : types.includes(type);
  return isWanted || (type === "integer" && types.includes("number")) ? read.value : text;
}

/** By field: what is wrong with its value. */
export function problemsOf(fields: readonly ParamField[], values: Values): Partial<Record<string, string>> {
  const found = fields.map(({ name, schema, isRequired, kind }): [string, string | undefined] => {
    const value = values[name];
    if (isRequired && (value === undefined || value === null || (value === "" && kind !== "long text"))) {
      return [name, schema.minLength === 0 && value === "" ? undefined : "This is required"];
    }
    return [name, problemWith(value, schema)];
  });
  return Object.fromEntries(found.filter((each): each is [string, string] => each[1] !== undefined));
}

/** Fields by their section, in the order in which they come first. */
export function sectionsOf(fields: readonly ParamField[]): [string, ParamField[]][] {
  const sections = new Map<string, ParamField[]>();
  for (const field of fields) sections.set(field.section, [...(sections.get(field.section) ?? []), field]);
  return [...sections];
}
