// @vitest-environment happy-dom
import { fireEvent, screen } from "@testing-library/react";
import { beforeAll, expect, test } from "vitest";

import { evil, rendered } from "~/test/rendered";
import { answer, refuse } from "~/test/server";

import { Log } from "./Log";

const place = { dagId: "sales", runId: "r1", taskId: "load", mapIndex: -1 };
const address = "GET /api/v2/dags/sales/dagRuns/r1/taskInstances/load/logs/1";

beforeAll(() => {
  for (const name of ["clientHeight", "offsetHeight"])
    Object.defineProperty(HTMLElement.prototype, name, { value: 600 });
  for (const name of ["clientWidth", "offsetWidth"]) Object.defineProperty(HTMLElement.prototype, name, { value: 900 });
});

function logged(...lines: object[]) {
  const text = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  answer(address, () => new Response(text, { headers: { "content-type": "application/x-ndjson" } }));
  rendered(<Log place={place} tryNumber={1} state="success" />);
}

const line = (event: string, level = "info") => ({ timestamp: "2026-01-01T00:00:00Z", level, event });

test("lines are text, whatever is in them", async () => {
  logged(line("hello"), line(evil));

  expect(await screen.findByText("hello")).toBeTruthy();
  expect(document.body.textContent).toContain(evil);
  expect(document.querySelector("img")).toBeNull();
});

test("what is less than asked for is left out", async () => {
  logged(line("chatter", "debug"), line("it broke", "error"));
  await screen.findByText("it broke");

  const levels = screen.getAllByRole("combobox").filter((each) => each.textContent.includes("All levels"));
  expect(levels).toHaveLength(1);
  for (const choice of levels) fireEvent.change(choice, { target: { value: "error" } });

  expect(screen.queryByText("chatter")).toBeNull();
  expect(screen.getByText("it broke")).toBeTruthy();
});

test("a log that cannot be read says why", async () => {
  refuse(address, 404, "There is no such try");
  rendered(<Log place={place} tryNumber={1} state="failed" />);

  expect((await screen.findByRole("alert")).textContent).toContain("There is no such try");
});

test("keys open and fold all groups, show loggers, and fill the window", async () => {
  const grouped = (event: string) => ({ ...line(event), logger: "shop.orders" });
  logged(line("::group::Before"), grouped("prepared"), line("::endgroup::"), grouped("did it"));
  await screen.findByText("did it");
  expect(screen.queryByText("prepared")).toBeNull();

  fireEvent.keyDown(document.body, { key: "e" });
  expect(screen.getByText("prepared")).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: /Before/ }));
  expect(screen.queryByText("prepared")).toBeNull();
  fireEvent.keyDown(document.body, { key: "e" });
  fireEvent.keyDown(document.body, { key: "e" });
  expect(screen.getByText("prepared")).toBeTruthy();

  expect(screen.queryByText("shop.orders")).toBeNull();
  fireEvent.keyDown(document.body, { key: "s" });
  expect(screen.getAllByText("shop.orders")).toHaveLength(2);

  const log = screen.getByRole("region", { name: "Log" });
  fireEvent.keyDown(document.body, { key: "f" });
  expect(log.dataset.full).toBe("true");
  fireEvent.keyDown(screen.getByRole("log"), { key: "Escape" });
  expect(log.dataset.full).toBe("false");
});
