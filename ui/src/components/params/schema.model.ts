/** What a value must be, by the JSON schema of a param. What is not looked at here, the server finds. */

export interface Schema {
  type?: string | string[];
  title?: string;
  description?: string;
  description_md?: string;
  format?: string;
  section?: string;
  enum?: unknown[];
  const?: unknown;
  examples?: unknown[];
  values_display?: Record<string, string>;
  items?: Schema | null;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  multipleOf?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  minItems?: number;
  maxItems?: number;
  uniqueItems?: boolean;
  required?: string[];
  properties?: Record<string, Schema>;
}

/** The types that it allows; none: all of them. */
export function typesOf(schema: Schema): string[] {
  if (schema.type === undefined) return [];
  return Array.isArray(schema.type) ? schema.type : [schema.type];
}

export function typeOf(value: unknown): string {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return "array";
  if (typeof value === "number") return Number.isInteger(value) ? "integer" : "number";
  return typeof value;
}

/** What is wrong with a value, for whoever typed it. */
export function problemWith(value: unknown, schema: Schema): string | undefined {
  const types = typesOf(schema);
  const type = typeOf(value);
  if (types.length > 0 && !types.includes(type) && !(type === "integer" && types.includes("number"))) {
    return type === "null" ? "This is required" : `This must be ${types.map(named).join(" or ")}`;
  }
  if (schema.enum !== undefined && !schema.enum.some((each) => equal(each, value))) {
    return "This is none of the values to choose from";
  }
  if (typeof value === "string") return problemWithText(value, schema);
  if (typeof value === "number") return problemWithNumber(value, schema);
  if (Array.isArray(value)) return problemWithList(value, schema);
  if (type === "object") return problemWithObject(value as Record<string, unknown>, schema);
  return undefined;
}

const names: Partial<Record<string, string>> = {
  integer: "a whole number",
  number: "a number",
  string: "a text",
  boolean: "true or false",
  array: "a list",
  object: "an object",
  null: "empty",
};

function named(type: string): string {
  return names[type] ?? type;
}

function problemWithText(value: string, schema: Schema): string | undefined {
  const { minLength, maxLength, pattern, format } = schema;
  // As Python counts, and the server is.
  const length = Array.from(value).length;
  if (minLength !== undefined && length < minLength) return `At least ${minLength} characters, not ${length}`;
  if (maxLength !== undefined && length > maxLength) return `At most ${maxLength} characters, not ${length}`;
  if (pattern !== undefined && !matches(value, pattern)) return `This must match ${pattern}`;
  return format === undefined || formats[format]?.test(value) !== false ? undefined : `This is no ${format}`;
}

const formats: Partial<Record<string, RegExp>> = {
  date: /^\d{4}-\d\d-\d\d$/,
  time: /^\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?$/,
  "date-time": /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)$/,
  duration: /^P(?!$)(\d+W|(\d+Y)?(\d+M)?(\d+D)?(T(?=\d)(\d+H)?(\d+M)?(\d+(\.\d+)?S)?)?)$/,
};

function matches(value: string, pattern: string): boolean {
  try {
    return new RegExp(pattern, "u").test(value);
  } catch {
    // Python knows patterns that browsers do not. The server will say.
    return true;
  }
}

function problemWithNumber(value: number, schema: Schema): string | undefined {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf } = schema;
  if (minimum !== undefined && value < minimum) return `This must be ${minimum} or more`;
  if (maximum !== undefined && value > maximum) return `This must be ${maximum} or less`;
  if (exclusiveMinimum !== undefined && value <= exclusiveMinimum) return `This must be more than ${exclusiveMinimum}`;
  if (exclusiveMaximum !== undefined && value >= exclusiveMaximum) return `This must be less than ${exclusiveMaximum}`;
  if (multipleOf !== undefined && Math.abs(value / multipleOf - Math.round(value / multipleOf)) > 1e-9) {
    return `This must be a multiple of ${multipleOf}`;
  }
  return undefined;
}

function problemWithList(value: unknown[], schema: Schema): string | undefined {
  const { minItems, maxItems, uniqueItems, items } = schema;
  if (minItems !== undefined && value.length < minItems) return `At least ${minItems} values, not ${value.length}`;
  if (maxItems !== undefined && value.length > maxItems) return `At most ${maxItems} values, not ${value.length}`;
  if (uniqueItems && new Set(value.map((each) => JSON.stringify(each))).size < value.length) {
    return "A value is there twice";
  }
  if (!items) return undefined;
  for (const [position, each] of value.entries()) {
    const problem = problemWith(each, items);
    if (problem !== undefined) return `Value ${position + 1}: ${lower(problem)}`;
  }
  return undefined;
}

function problemWithObject(value: Record<string, unknown>, schema: Schema): string | undefined {
  const missing = schema.required?.find((name) => !(name in value));
  if (missing !== undefined) return `"${missing}" is missing`;
  for (const [name, inner] of Object.entries(schema.properties ?? {})) {
    const problem = name in value ? problemWith(value[name], inner) : undefined;
    if (problem !== undefined) return `"${name}": ${lower(problem)}`;
  }
  return undefined;
}

function lower(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}

export function equal(left: unknown, right: unknown): boolean {
  return JSON.stringify(left ?? null) === JSON.stringify(right ?? null);
}
