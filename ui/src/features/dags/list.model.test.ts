import { expect, test } from "vitest";

import { cardsAcross, dagsParameters, isNarrowed, nextSort, parseDagsSearch, partsOf, widened } from "./list.model";

const now = Date.UTC(2026, 2, 4, 12);

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
  expect(dagsParameters({}, now)).toEqual({ order_by: ["dag_display_name"] });
  expect(
    dagsParameters({ q: "sales", tags: ["a", "b"], owner: "anna", broken: true, sort: "-last_run_state" }, now),
  ).toEqual({
    order_by: ["-last_run_state"],
    dag_display_name_pattern: "%sales%",
    tags: ["a", "b"],
    tags_match_mode: "all",
    owners: ["anna"],
    has_import_errors: true,
  });
  expect(dagsParameters({ tags: ["a", "b"], anyTag: true, schedule: "time" }, now)).toEqual({
    order_by: ["dag_display_name"],
    tags: ["a", "b"],
    tags_match_mode: "any",
    has_asset_schedule: false,
  });
  expect(dagsParameters({ schedule: "assets" }, now)).toMatchObject({ has_asset_schedule: true });
  expect(dagsParameters({ paused: false, state: "running", favorite: true }, now)).toEqual({
    order_by: ["dag_display_name"],
    paused: false,
    last_dag_run_state: "running",
    is_favorite: true,
  });
});

test("whatever became of later runs, one of them may be meant", () => {
  expect(parseDagsSearch({ anyRun: "failed", asks: true, bundle: "shop", view: "cards" })).toEqual({
    anyRun: "failed",
    asks: true,
    bundle: "shop",
    view: "cards",
  });
  expect(parseDagsSearch({ anyRun: "success", asks: 1, view: "pie" })).toEqual({});
  expect(dagsParameters({ anyRun: "failed" }, now)).toEqual({
    order_by: ["dag_display_name"],
    any_dag_run_state: "failed",
    any_dag_run_end_date_gte: "2026-03-03T12:00:00.000Z",
  });
  expect(dagsParameters({ anyRun: "queued", asks: true, bundle: "shop" }, now)).toEqual({
    order_by: ["dag_display_name"],
    any_dag_run_state: "queued",
    has_pending_actions: true,
    bundle_name: "shop",
  });
});

test("all are shown again, in the same manner", () => {
  expect(widened({ q: "sales", schedule: "assets", asks: true, view: "cards", sort: "last_run_state" })).toEqual({
    q: undefined,
    schedule: undefined,
    asks: undefined,
  });
  expect(isNarrowed({ view: "cards" })).toBe(false);
});

test("as many cards are beside each other as fit", () => {
  expect([100, 299, 300, 620, 632].map((width) => cardsAcross(width, 300, 16))).toEqual([1, 1, 1, 2, 2]);
  expect(cardsAcross(948, 300, 16)).toBe(3);
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
