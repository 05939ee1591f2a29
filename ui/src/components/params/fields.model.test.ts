import { expect, test } from "vitest";

import { defaultsOf, fieldsOf, type ParamField, problemsOf, sectionsOf, textOf, valueOf } from "./fields.model";
import { begin, changed, jsonOf, parseConf, wrongIn } from "./form.model";
import { problemWith } from "./schema.model";

const param = (value: unknown, schema: object = {}, description: string | null = null) => ({
  value,
  schema,
  description,
});

function field(value: unknown, schema: object = {}): ParamField {
  const [made] = fieldsOf({ it: param(value, schema) });
  if (made === undefined) throw new Error("no field");
  return made;
}

test("values without a schema get a field of their kind, and are optional", () => {
  const kinds = [3, "text", false, ["a", "b"], { a: 1 }, [1, 2], null].map((value) => field(value).kind);

  expect(kinds).toEqual(["number", "text", "check", "lines", "json", "json", "any"]);
  expect(field(3).isRequired).toBe(false);
  expect(fieldsOf({ plain: 3 })[0]?.kind).toBe("number");
});

test("schemas choose the kind", () => {
  expect(field("", { type: "string", format: "multiline" }).kind).toBe("long text");
  expect(field("", { type: "string", format: "date" }).kind).toBe("date");
  expect(field("", { type: ["string", "null"], format: "time" })).toMatchObject({ kind: "time", isRequired: false });
  expect(field("", { type: "string", format: "date-time" }).kind).toBe("date-time");
  expect(field("a", { type: "string", enum: ["a", "b"] }).kind).toBe("choice");
  expect(field("a", { type: "string", examples: ["a", "b"] }).suggestions).toEqual(["a", "b"]);
  expect(field([], { type: "array", examples: ["a"] }).kind).toBe("choices");
  expect(field([1], { type: "array", items: { type: "number" } }).kind).toBe("lines");
  expect(field([], { type: "array", items: { type: "object" } }).kind).toBe("json");
  expect(field(null, { type: ["object", "null"] }).kind).toBe("json");
  expect(field(5, { type: ["integer", "string"] }).kind).toBe("any");
});

test("what is always the same is not asked for, but passed on", () => {
  const params = { fixed: param("always", { const: "always" }), free: param(1) };

  expect(fieldsOf(params).map(({ name }) => name)).toEqual(["free"]);
  expect(defaultsOf(params)).toEqual({ fixed: "always", free: 1 });
});

test("titles, descriptions, sections and labels come from the schema", () => {
  const one = field(3, {
    type: ["number", "null"],
    title: "Pick",
    description_md: "**Which**",
    section: "More",
    enum: [1, 3, null],
    values_display: { "3": "Three", None: "Nothing" },
  });

  expect(one).toMatchObject({ title: "Pick", description: "**Which**", section: "More" });
  expect(one.choices.map(({ label }) => label)).toEqual(["1", "Three", "Nothing"]);
  expect(textOf(one, 3, "UTC")).toBe("1");
  expect(valueOf(one, "2", "UTC")).toEqual({ value: null });
  expect(sectionsOf([one, field(1), { ...one, name: "other" }]).map(([name, all]) => [name, all.length])).toEqual([
    ["More", 2],
    ["", 1],
  ]);
});

test("texts become values of the right type", () => {
  expect(valueOf(field(1, { type: "number" }), "1.5", "UTC")).toEqual({ value: 1.5 });
  expect(valueOf(field(1, { type: ["number", "null"] }), "", "UTC")).toEqual({ value: null });
  expect(valueOf(field("a", { type: "string" }), "", "UTC")).toEqual({ value: null });
  expect(valueOf(field("a"), "", "UTC")).toEqual({ value: "" });
  expect(valueOf(field([1], { type: "array", items: { type: "number" } }), "1\n\n2", "UTC")).toEqual({ value: [1, 2] });
  expect(valueOf(field([1], { type: "array", items: { type: "number" } }), "1\nx", "UTC")).toEqual({
    problem: "Line 2 is no number",
  });
  expect(valueOf(field({}, { type: "object" }), "{", "UTC")).toHaveProperty("problem");
  const instant = field("", { type: "string", format: "date-time" });
  expect(valueOf(instant, "2026-01-01T13:00", "Europe/Berlin")).toEqual({ value: "2026-01-01T12:00:00Z" });
  expect(textOf(instant, "2026-01-01T12:00:00+00:00", "Europe/Berlin")).toBe("2026-01-01T13:00:00");
});

test("of several types, the one that fits", () => {
  const either = field(5, { type: ["integer", "string"] });

  expect(valueOf(either, "500", "UTC")).toEqual({ value: 500 });
  expect(valueOf(either, "all", "UTC")).toEqual({ value: "all" });
  expect(valueOf(either, "1.5", "UTC")).toEqual({ value: "1.5" });
  expect(valueOf(field("", { type: ["string", "object"] }), '{"a": 1}', "UTC")).toEqual({ value: { a: 1 } });
});

test("what is wrong is said of each field", () => {
  const fields = fieldsOf({
    name: param(null, { type: "string", minLength: 3 }),
    short: param("ab", { type: "string", minLength: 3 }),
    age: param(200, { type: "integer", maximum: 128 }),
    fine: param(null, { type: ["string", "null"] }),
  });

  expect(problemsOf(fields, { name: null, short: "ab", age: 200, fine: null })).toEqual({
    name: "This is required",
    short: "At least 3 characters, not 2",
    age: "This must be 128 or less",
  });
});

test("values are held against their schema", () => {
  expect(problemWith("x", { type: "number" })).toBe("This must be a number");
  expect(problemWith(1, { type: "number" })).toBeUndefined();
  expect(problemWith("2026-13", { type: "string", format: "date" })).toBe("This is no date");
  expect(problemWith("PT15M", { type: "string", format: "duration" })).toBeUndefined();
  expect(problemWith("15 minutes", { type: "string", format: "duration" })).toBe("This is no duration");
  expect(problemWith("ab", { pattern: "^a$" })).toBe("This must match ^a$");
  expect(problemWith("ab", { pattern: "(?P<x>a)b" })).toBeUndefined();
  expect(problemWith([1, "x"], { items: { type: "integer" } })).toBe("Value 2: this must be a whole number");
  expect(problemWith([1, 1], { uniqueItems: true })).toBe("A value is there twice");
  expect(problemWith({ a: 1 }, { required: ["name"] })).toBe('"name" is missing');
  expect(problemWith({ a: "x" }, { properties: { a: { type: "number" } } })).toBe('"a": this must be a number');
  expect(problemWith(7, { multipleOf: 2 })).toBe("This must be a multiple of 2");
});

test("the form and its JSON show the same", () => {
  const [age] = fieldsOf({ age: param(1, { type: "integer" }) });
  if (age === undefined) throw new Error("no field");
  const typed = changed(begin({ age: 1, more: "x" }), { kind: "text", field: age, text: "2", zone: "UTC" });
  expect(JSON.parse(jsonOf(typed))).toEqual({ age: 2, more: "x" });

  const edited = changed(typed, { kind: "json", text: '{"age": 3}' });
  expect(edited.values).toEqual({ age: 3 });
  expect(edited.typed).toEqual({});

  const broken = changed(edited, { kind: "json", text: "{" });
  expect(broken.values).toEqual({ age: 3 });
  expect(broken.jsonProblem).toMatch("no JSON");
  expect(jsonOf(broken)).toBe("{");

  const unread = changed(edited, { kind: "text", field: age, text: "x", zone: "UTC" });
  expect(wrongIn(unread, [age])).toEqual({ age: "This is no number" });
});

test("a configuration is an object", () => {
  expect(parseConf('{"a": 1}')).toEqual({ value: { a: 1 } });
  expect(parseConf("  ")).toEqual({ value: {} });
  expect(parseConf("[1]").problem).toMatch("is an object");
  expect(parseConf("null").problem).toMatch("is an object");
});
