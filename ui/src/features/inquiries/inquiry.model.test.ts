import { expect, test } from "vitest";

import { answeredBy, type Inquiry, isOpen, prefilled, refusalFor, toggled } from "./inquiry.model";

const inquiry = {
  options: ["Approve", "Reject"],
  params: { reason: "" },
  response_received: false,
  assigned_users: [{ id: "ann", name: "Ann" }],
  responded_by_user: null,
  task_instance: { state: "awaiting_input" },
} as unknown as Inquiry;

test("a question is open until it is answered or its task ends", () => {
  expect(isOpen(inquiry)).toBe(true);
  expect(isOpen({ ...inquiry, response_received: true })).toBe(false);
  expect(isOpen({ ...inquiry, task_instance: { state: "failed" } as never })).toBe(false);
});

test("only those who are named may answer", () => {
  expect(refusalFor(inquiry, "ann")).toBeUndefined();
  expect(refusalFor(inquiry, "bob")).toBe("Only Ann may answer.");
  expect(refusalFor({ ...inquiry, assigned_users: [] }, "bob")).toBeUndefined();
});

test("a link fills in an answer, and nothing that is not asked", () => {
  const search = { _options: "['Approve']", map_index: -1, reason: "fine", tab: "required_actions" };

  expect(prefilled(search, inquiry)).toEqual({ options: ["Approve"], params: { reason: "fine" } });
  expect(prefilled({ _options: ["Reject"] }, inquiry).options).toEqual(["Reject"]);
  expect(prefilled({}, inquiry)).toEqual({ options: [], params: {} });
});

test("options are chosen in their order", () => {
  expect(toggled(inquiry, ["Reject"], "Approve")).toEqual(["Approve", "Reject"]);
  expect(toggled(inquiry, ["Approve", "Reject"], "Approve")).toEqual(["Reject"]);
});

test("who answered is told", () => {
  expect(answeredBy({ ...inquiry, responded_by_user: { id: "ann", name: "Ann" } })).toBe("Ann");
  expect(answeredBy(inquiry)).toMatch("nobody in time");
});
