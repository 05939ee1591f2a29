import { expect, test } from "vitest";

import {
  bodyOf,
  type Connection,
  draftOf,
  extraOf,
  maskOf,
  plainFields,
  problemOf,
  shownExtra,
  withExtra,
} from "./connection.model";

const stored: Connection = {
  connection_id: "warehouse",
  conn_type: "postgres",
  description: null,
  host: "db.example",
  port: 5432,
  schema: "sales",
  login: "anna",
  password: "***",
  extra: '{"sslmode": "require"}',
  team_name: null,
};

test("what is stored is shown, but for the password", () => {
  const draft = draftOf(stored);

  expect(draft.plain).toEqual({ host: "db.example", port: "5432", schema: "sales", login: "anna", password: "" });
  expect(shownExtra(draft.extra, "sslmode")).toBe("require");
  expect(maskOf(draft)).not.toContain("password");
  expect(maskOf({ ...draft, plain: { ...draft.plain, password: "new" } })).toContain("password");
  expect(bodyOf(draft)).toMatchObject({ port: 5432, password: null, extra: '{\n  "sslmode": "require"\n}' });
});

test("a type shows the fields that matter, and whatever has a value", () => {
  const draft = draftOf(undefined);
  const names = (type: string, plain = {}) =>
    plainFields({ ...draft, conn_type: type, plain: { ...draft.plain, ...plain } }).map(([name]) => name);

  expect(names("slack")).toEqual(["password"]);
  expect(names("slack", { host: "left over" })).toEqual(["host", "password"]);
  expect(names("of nobody")).toEqual(["host", "port", "schema", "login", "password"]);
  expect(plainFields({ ...draft, conn_type: "sqlite" })).toEqual([["host", "File"]]);
});

test("fields of the extra are fields of the JSON", () => {
  expect(extraOf(withExtra("", "region_name", "eu-north-1", "text"))).toEqual({ region_name: "eu-north-1" });
  expect(extraOf(withExtra('{"a": 1, "db": 2}', "db", "3", "number"))).toEqual({ a: 1, db: 3 });
  expect(extraOf(withExtra('{"a": 1}', "srv", true, "check"))).toEqual({ a: 1, srv: true });
  expect(withExtra('{"srv": true}', "srv", false, "check")).toBe("");
  expect(withExtra("{broken", "a", "b", "text"), "what somebody is writing is not lost").toBe("{broken");
});

test.each([
  [{ connection_id: "two words" }, /letters/],
  [{ conn_type: " " }, /type/],
  [{ extra: "[1]" }, /JSON object/],
  [{ plain: { ...draftOf(stored).plain, port: "x" } }, /port/],
])("%j is refused in words", (change, problem) => {
  expect(problemOf({ ...draftOf(stored), ...change })).toMatch(problem);
});

test("what is right is not refused", () => {
  expect(problemOf(draftOf(stored))).toBeUndefined();
});
