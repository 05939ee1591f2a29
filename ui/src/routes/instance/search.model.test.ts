import { expect, test } from "vitest";

import { instanceSearch, tabOfPath } from "./search.model";

test("an address names the tab, the try and the copy; what makes no sense is left out", () => {
  expect(instanceSearch({ tab: "xcom", try: 2, map_index: 3 })).toEqual({ tab: "xcom", try: 2, map_index: 3 });
  expect(instanceSearch({ tab: 7, try: "x", map_index: 1.5 })).toEqual({});
});

test("what a link fills in stays", () => {
  expect(instanceSearch({ _options: "['Approve']", reason: "fine" })).toEqual({
    _options: "['Approve']",
    reason: "fine",
  });
});

test("Airflow's tabs have their places here", () => {
  expect(tabOfPath("rendered_templates")).toBe("rendered_templates");
  expect(tabOfPath("events")).toBe("audit_log");
});
