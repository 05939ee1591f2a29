import { expect, test } from "vitest";

import { historyBars, historySummary, members, occurrences, type RunWithTasks, statesWords } from "./history.model";

const at = (second: number) => new Date(Date.UTC(2026, 0, 31, 0, 0, second)).toISOString();
const task = (id: string, states: Record<string, number>, from: number | null, to: number | null, tries = 1) => ({
  task_id: id,
  states,
  start_date: from === null ? null : at(from),
  end_date: to === null ? null : at(to),
  try_number: tries,
});
const now = Date.UTC(2026, 0, 31, 0, 1, 0);
const runs: RunWithTasks[] = [
  { run_id: "before it came", tasks: [] },
  { run_id: "r1", tasks: [task("a", { success: 1 }, 0, 10), task("b", { success: 2, failed: 1 }, 5, 30, 3)] },
  { run_id: "r2", tasks: [task("a", { success: 1 }, 0, 20), task("b", { running: 1 }, 30, null)] },
];

test("a group is as bad as its worst task, and takes from its first start to its last end", () => {
  const all = occurrences(runs, now);

  expect(all.map(({ runId, state, seconds, tries }) => [runId, state, seconds, tries])).toEqual([
    ["r1", "failed", 30, 3],
    ["r2", "running", 60, 1],
  ]);
  expect(all[0]?.states).toEqual({ success: 3, failed: 1 });
});

test("what happened is said in words", () => {
  expect(
    historyBars(occurrences(runs, now), (from) => from.slice(5, 10)).map(({ label, mark }) => [label, mark]),
  ).toEqual([
    ["r1: 1 failed, 3 success, 30s, 3 tries", "01-31"],
    ["r2: 1 running, 1 success, 1m", undefined],
  ]);
  expect(statesWords({ up_for_retry: 1 })).toBe("up for retry");
});

test("runs that failed or needed another try are counted", () => {
  expect(historySummary(occurrences(runs, now))).toEqual({ runs: 2, failed: 1, retried: 1, usual: undefined });
});

test("the members of a group are told in the same runs, those that fail first", () => {
  expect(members(runs, now)).toEqual([
    {
      taskId: "b",
      states: [undefined, "failed", "running"],
      summary: { runs: 2, failed: 1, retried: 1, usual: undefined },
    },
    {
      taskId: "a",
      states: [undefined, "success", "success"],
      summary: { runs: 2, failed: 0, retried: 0, usual: 10 },
    },
  ]);
});
