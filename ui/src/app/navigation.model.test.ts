import { expect, test } from "vitest";

import type { PluginView } from "~/api/pluginViews";

import { fullGroups, groups, viewsOfUser, visibleGroups } from "./navigation.model";

const pages = groups.flatMap((group) => [...group.pages]);

test("whoever may not read something does not see its page, nor a group without pages", () => {
  const shown = visibleGroups((_, resource) => ({ isAllowed: resource === "DAG", reason: undefined }));

  expect(shown.map(({ title }) => title)).toEqual(["", "Browse"]);
  expect(shown[0]?.pages.map(({ title }) => title)).toEqual(["Overview", "DAGs"]);
});

test("whoever may read everything sees every page once", () => {
  const shown = visibleGroups(() => ({ isAllowed: true, reason: undefined })).flatMap((group) => group.pages);

  expect(shown).toHaveLength(pages.length);
  expect(new Set(shown.map(({ to }) => to)).size).toBe(pages.length);
});

test("no two pages have the same key", () => {
  const keys = pages.flatMap((page) => ("key" in page ? [page.key] : []));

  expect(new Set(keys).size).toBe(keys.length);
});

test("the own account is found with the settings of a person, and takes no place in the navigation", () => {
  const only = (_: string, resource: string) => ({ isAllowed: resource === "own account", reason: undefined });

  expect(visibleGroups(only).flatMap((group) => group.pages.map(({ title }) => title))).toContain("Account");
  expect(fullGroups(only, []).map(({ title }) => title)).toEqual(["", "Docs"]);
});

const view: PluginView = {
  plugin: "tools",
  name: "Panels",
  kind: "frame",
  href: "https://panels.example.org",
  destination: "nav",
  route: "panels",
  category: null,
  is_top_level: false,
  icon: null,
  icon_dark_mode: null,
};
const all = () => ({ isAllowed: true, reason: undefined });

function placesOf(views: PluginView[]): [string, string[]][] {
  return fullGroups(all, views)
    .filter((group) => group.views.length > 0)
    .map((group) => [group.title, group.views.map(({ name }) => name)]);
}

test("views of plugins are in the group of their category, whichever way it is written", () => {
  expect(
    placesOf([
      { ...view, name: "a", category: "browse" },
      { ...view, name: "b", category: "Admin" },
      { ...view, name: "c", category: "docs" },
      { ...view, name: "d", category: "Our tools" },
      { ...view, name: "e", category: "our tools" },
      { ...view, name: "f", category: null },
      { ...view, name: "g", category: "browse", is_top_level: true },
    ]),
  ).toEqual([
    ["", ["g"]],
    ["Browse", ["a"]],
    ["Our tools", ["d", "e"]],
    ["Plugins", ["f"]],
    ["Admin", ["b"]],
    ["Docs", ["c"]],
  ]);
});

test("what is for a person is where their settings are, and what belongs elsewhere is not in the navigation", () => {
  const mine = { ...view, category: "User" };

  expect(placesOf([mine, { ...view, destination: "dag" }, { ...view, destination: "base" }])).toEqual([]);
  expect(viewsOfUser([mine, view, { ...mine, destination: "dag" }])).toEqual([mine]);
});

test("the reference of the REST API is there for everybody, unless the deployment hides it", () => {
  const nobody = () => ({ isAllowed: false, reason: undefined });

  expect(fullGroups(nobody, []).flatMap((group) => group.documents.map(({ href }) => href))).toEqual(["/docs"]);
  expect(fullGroups(nobody, [], { hasApiReference: false }).map(({ title }) => title)).not.toContain("Docs");
});
