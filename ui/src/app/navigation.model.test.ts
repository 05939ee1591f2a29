import { expect, test } from "vitest";

import { groups, visibleGroups } from "./navigation.model";

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
