import { expect, test } from "vitest";

import { type Command, fitting, rating } from "./palette.model";

const command = (title: string, kind: Command["kind"] = "Page", also?: string): Command => ({
  id: `${kind} ${title}`,
  title,
  kind,
  ...(also !== undefined && { also }),
  run: () => undefined,
});

const all = [
  command("Overview", "Page", "home dashboard"),
  command("Pools"),
  command("DAGs"),
  command("warehouse_sales_load", "DAG"),
  command("pool_watch", "DAG"),
  command("Dark theme", "Action"),
];
const never = () => false;
const titles = (query: string) => fitting(all, query, never).map(({ title }) => title);

test.each([
  ["pool", ["Pools", "pool_watch"]],
  ["pool_watch", ["pool_watch"]],
  ["dash", ["Overview"]],
  ["sales", ["warehouse_sales_load"]],
  ["wsl", ["warehouse_sales_load"]],
  ["theme dark", ["Dark theme"]],
  ["xyz", []],
])("%j means %j", (query, found) => {
  expect(titles(query)).toEqual(found);
});

test("without a word everything is shown, pages first and in their order", () => {
  expect(titles("")).toEqual(["Overview", "Pools", "DAGs", "warehouse_sales_load", "pool_watch", "Dark theme"]);
});

test("what the server has found is shown, however it found it", () => {
  const found = command("scheduled__2026", "Run");

  expect(fitting([found], "abc", (each) => each === found)).toEqual([found]);
});

test("a beginning is better than a word, and a word better than a part of it", () => {
  const rates = ["load", "sales_load", "reload"].map((title) => rating(command(title), ["load"]));

  expect(rates).toEqual([...rates].sort((one, other) => other - one));
  expect(new Set(rates).size).toBe(3);
});

test("of two with the same name, that of the DAG on the screen comes first", () => {
  const far = { ...command("load", "Task"), id: "far" };
  const near = { ...command("load", "Task"), id: "near", isNear: true };
  const better = { ...command("unload", "Task"), id: "worse", isNear: true };

  expect(fitting([better, far, near], "load", never).map(({ id }) => id)).toEqual(["near", "far", "worse"]);
});

test("tasks that the server found by their DAG are shown", () => {
  const task = { ...command("load", "Task"), detail: "warehouse" };

  expect(fitting([task], "warehouse load", () => true)).toEqual([task]);
});
