// @vitest-environment happy-dom
import { screen } from "@testing-library/react";
import { expect, test } from "vitest";

import type { Schemas } from "~/api/client";
import { evil, rendered } from "~/test/rendered";
import { answer } from "~/test/server";

import { TaskDetails } from "./TaskDetails";

const task = {
  dag_id: "sales",
  task_id: "load",
  dag_run_id: "r1",
  map_index: -1,
  try_number: 1,
  max_tries: 0,
  executor_config: "{}",
} as Schemas["TaskInstanceResponse"];

test("what the author wrote about a task is shown, and nothing of it runs", async () => {
  answer("GET /ui/task_doc/sales/r1/load", () => ({ doc_md: `Loads **all** of it ${evil}` }));
  rendered(<TaskDetails task={task} />);

  const documentation = await screen.findByRole("region", { name: "Documentation" });

  expect(documentation.querySelector("strong")?.textContent).toBe("all");
  expect(documentation.textContent).toContain(evil);
  expect(document.querySelector("img")).toBeNull();
});
