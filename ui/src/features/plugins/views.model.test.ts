import { expect, test } from "vitest";

import { addressOf, hostOf, isElsewhere, tabOfView } from "./views.model";

test("what is looked at is filled in, each as one word", () => {
  const href = "https://a.org/{DAG_ID}/{RUN_ID}?task={TASK_ID}&map={MAP_INDEX}&x={OTHER}";
  const place = { dagId: "sales", runId: "manual/../..?#", taskId: "a&b=c", mapIndex: -1 };

  expect(addressOf({ href }, place)).toBe("https://a.org/sales/manual%2F..%2F..%3F%23?task=a%26b%3Dc&map=-1&x={OTHER}");
});

test("what is not known stays as it is written", () => {
  expect(addressOf({ href: "/x/{RUN_ID}" }, { dagId: "sales" })).toBe("/x/{RUN_ID}");
});

test.each(["javascript:alert(1)", "JAVASCRIPT:alert(1)", " javascript:alert(1)", "data:text/html,x", "vbscript:x"])(
  "%s leads nowhere",
  (href) => {
    expect(addressOf({ href })).toBeUndefined();
  },
);

test("other servers are told from this one", () => {
  expect([isElsewhere("https://a.org:3000/x"), isElsewhere("/docs")]).toEqual([true, false]);
  expect([hostOf("https://a.org:3000/x"), hostOf("/docs")]).toEqual(["a.org:3000", "this server"]);
});

test("a view is a tab with Airflow's address", () => {
  expect(tabOfView({ route: "panels" })).toBe("plugin/panels");
});
