import { expect, test } from "vitest";

import { lossOf, originOf, tabOf, versionsOf } from "./run.model";

const run = { triggered_by: "rest_api", triggering_user_name: "ann", dag_versions: [], run_type: "manual" } as const;

test("a run says who asked for it", () => {
  expect(originOf(run)).toBe("through the API, ann");
  expect(originOf({ ...run, triggered_by: "timetable", triggering_user_name: null })).toBe("by the schedule");
  expect(originOf({ ...run, triggered_by: null, triggering_user_name: null })).toBe("manual");
});

test("versions are told by their numbers", () => {
  expect(versionsOf({ ...run, dag_versions: [{ version_number: 1 }, { version_number: 3 }] })).toBe("1, 3");
});

test("an unknown tab is the first", () => {
  expect(tabOf("tasks")).toBe("tasks");
  expect(tabOf("nothing")).toBe("details");
  expect(tabOf(undefined)).toBe("details");
});

test("what would go with a run is said before it goes", () => {
  expect(lossOf("success", { tasks: 1, xcoms: 3 })).toBe(
    "Gone with it: 1 task instance with all attempts and 3 XComs. This cannot be undone.",
  );
  expect(lossOf("running", { tasks: 2, xcoms: 1 })).toContain("2 task instances with all attempts and 1 XCom.");
  expect(lossOf("running", { tasks: 2, xcoms: 1 })).toContain("stopped");
});
