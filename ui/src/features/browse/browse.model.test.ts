import { expect, test } from "vitest";

import { onlyDag, parseBrowseSearch, runsParameters, tasksParameters, xcomsParameters } from "./browse.model";

test("an address holds what is looked for, and nothing else", () => {
  expect(parseBrowseSearch({ dag: "sales", run: 12, state: "", other: "x", from: null })).toEqual({
    dag: "sales",
    run: "12",
  });
});

test("the server is asked for parts of names, exact states, and instants", () => {
  const days = { after: "2026-01-01T00:00:00Z", before: "2026-01-02T00:00:00Z" };

  expect(runsParameters({ dag: "sales", user: "eve", state: "failed", type: "manual" }, days)).toEqual({
    dag_id_pattern: "%sales%",
    triggering_user_name_pattern: "%eve%",
    state: ["failed"],
    run_type: ["manual"],
    run_after_gte: days.after,
    run_after_lt: days.before,
  });
  expect(tasksParameters({ task: "load", pool: "gpu", operator: "Bash" }, {})).toEqual({
    task_display_name_pattern: "%load%",
    pool_name_pattern: "%gpu%",
    operator_name_pattern: "%Bash%",
  });
  expect(xcomsParameters({ key: "return_value", task: "a", state: "failed" }, {})).toEqual({
    xcom_key_pattern: "%return_value%",
    task_id_pattern: "%a%",
  });
});

test("what is chosen can be changed at once if it is of one DAG", () => {
  const run = (dagId: string, runId: string) => ({ dagId, runId });

  expect(onlyDag([])).toBeUndefined();
  expect(onlyDag([run("a", "1"), run("a", "2")])).toBe("a");
  expect(onlyDag([run("a", "1"), run("b", "1")])).toBeUndefined();
});
