import { expect, test } from "vitest";

import { brought, fittingSections } from "./system.model";

const sections = [
  {
    name: "core",
    options: [
      { key: "dags_folder", value: "/dags" },
      { key: "executor", value: "LocalExecutor" },
    ],
  },
  { name: "scheduler", options: [{ key: "max_dagruns", value: "16" }] },
];

test("options are found by their name or by that of their section", () => {
  expect(fittingSections(sections, "")).toEqual(sections);
  expect(fittingSections(sections, "CORE")).toEqual([sections[0]]);
  expect(fittingSections(sections, "dag")).toEqual([
    { name: "core", options: [{ key: "dags_folder", value: "/dags" }] },
    sections[1],
  ]);
  expect(fittingSections(sections, "nothing")).toEqual([]);
});

test("a plugin brings what it has some of", () => {
  const nothing = {
    macros: [],
    flask_blueprints: [],
    fastapi_apps: [],
    fastapi_root_middlewares: [],
    external_views: [],
    react_apps: [],
    appbuilder_views: [],
    global_operator_extra_links: [],
    operator_extra_links: [],
    listeners: [],
    timetables: [],
  };

  expect(brought(nothing)).toEqual([]);
  expect(brought({ ...nothing, macros: ["a", "b"], listeners: ["c"] })).toEqual(["2 × macro", "1 × listener"]);
});
