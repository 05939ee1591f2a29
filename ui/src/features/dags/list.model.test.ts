import { expect, test } from "vitest";

import { dagsParameters, isNarrowed, nextSort, parseDagsSearch, partsOf } from "./list.model";

test("of an address, what makes sense is taken", () => {
  expect(
    parseDagsSearch({ q: 2026, paused: true, tags: "daily", state: "failed", sort: "-last_run_state", favorite: true }),
  ).toEqual({ q: "2026", paused: true, tags: ["daily"], state: "failed", sort: "-last_run_state", favorite: true });
  expect(parseDagsSearch({ anyTag: true, schedule: "assets" })).toEqual({ anyTag: true, schedule: "assets" });
  expect(parseDagsSearch({ anyTag: "yes", schedule: "never" })).toEqual({});
  expect(
    parseDagsSearch({ q: "", paused: "x", tags: [], state: "purple", sort: "password", favorite: false, other: 1 }),
  ).toEqual({});
});

test("what is asked of the server is what was chosen", () => {
  expect(dagsParameters({})).toEqual({ order_by: ["dag_display_name"] });
  expect(
    dagsParameters({ q: "sales", tags: ["a", "b"], owner: "anna", broken: true, sort: "-last_run_state" }),
  ).toEqual({
    order_by: ["-last_run_state"],
    dag_display_name_pattern: "%sales%",
    tags: ["a", "b"],
    tags_match_mode: "all",
    owners: ["anna"],
    has_import_errors: true,
  });
  expect(dagsParameters({ tags: ["a", "b"], anyTag: true, schedule: "time" })).toEqual({
    order_by: ["dag_display_name"],
    tags: ["a", "b"],
    tags_match_mode: "any",
    has_asset_schedule: false,
  });
  expect(dagsParameters({ schedule: "assets" })).toMatchObject({ has_asset_schedule: true });
  expect(dagsParameters({ paused: false, state: "running", favorite: true })).toEqual({
    order_by: ["dag_display_name"],
    paused: false,
    last_dag_run_state: "running",
    is_favorite: true,
  });
});

test("an order leaves nothing out", () => {
  expect(isNarrowed({ sort: "last_run_state", trigger: "sales" })).toBe(false);
  expect(isNarrowed({ paused: false })).toBe(true);
});

test("a heading sorts one way, then the other, then as at first", () => {
  expect(nextSort("dag_display_name", undefined)).toBe("dag_display_name");
  expect(nextSort("dag_display_name", "dag_display_name")).toBe("-dag_display_name");
  expect(nextSort("dag_display_name", "-dag_display_name")).toBeUndefined();
  expect(nextSort("last_run_start_date", "dag_display_name")).toBe("-last_run_start_date");
});

test("only those parts are asked for that are in sight", () => {
  expect(partsOf(0, 0, 100)).toEqual([0]);
  expect(partsOf(95, 120, 100)).toEqual([0, 1]);
  expect(partsOf(4_900, 4_999, 100)).toEqual([49]);
});
