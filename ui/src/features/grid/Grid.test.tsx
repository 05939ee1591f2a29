// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { beforeAll, expect, test, vi } from "vitest";

import { evil, rendered } from "~/test/rendered";
import { answer, refuse } from "~/test/server";

import { Grid } from "./Grid";

const row = (node_id: string, parent_id: string | null = null, is_group = false) => ({
  node_id,
  label: node_id,
  parent_id,
  is_group,
  is_mapped: false,
  operator: null,
});
const run = (run_id: string, states: Record<string, number[]>) => ({
  run_id,
  run_type: "manual",
  state: "success",
  run_after: "2026-01-01T00:00:00Z",
  start_date: "2026-01-01T00:00:00Z",
  end_date: "2026-01-01T00:01:00Z",
  version: 1,
  states,
  mixed: {},
});

beforeAll(() => {
  // The pretended document has no layout: everything is as large as a small window.
  for (const name of ["clientHeight", "offsetHeight"])
    Object.defineProperty(HTMLElement.prototype, name, { value: 240 });
  for (const name of ["clientWidth", "offsetWidth"]) Object.defineProperty(HTMLElement.prototype, name, { value: 240 });
});

interface More {
  wanted?: { state?: "failed" };
  search?: string;
  selected?: { run: string; task: string };
}

function shown(more: More = {}) {
  const onSelect = vi.fn();
  rendered(
    <Grid
      dagId="sales"
      wanted={{ most: 30, ...more.wanted }}
      search={more.search ?? ""}
      selected={more.selected ?? { run: undefined, task: undefined }}
      onSelect={onSelect}
    />,
  );
  return onSelect;
}

test("each task of each run has a cell that says its state, and shows the task", async () => {
  answer("GET /ui/grid/sales", () => ({
    rows: [row("load"), row(evil)],
    runs: [run("r1", { success: [0, 1] }), run("r2", { failed: [0], upstream_failed: [1] })],
  }));
  const onSelect = shown();

  fireEvent.click(await screen.findByRole("button", { name: "load in r2: failed" }));

  expect(onSelect).toHaveBeenCalledWith({ run: "r2", task: "load" });
  expect(screen.getByRole("button", { name: `${evil} in r1: success` })).toBeTruthy();
  expect(document.querySelector("img")).toBeNull();
});

test("a group is folded and unfolded", async () => {
  answer("GET /ui/grid/sales", () => ({
    rows: [row("extract", null, true), row("extract.orders", "extract"), row("publish")],
    runs: [run("r1", { success: [1, 2] })],
  }));
  shown();

  const group = await screen.findByRole("button", { name: /▾ extract/ });
  expect(screen.getByRole("button", { name: "extract.orders in r1: success" })).toBeTruthy();
  fireEvent.click(group);

  expect(screen.queryByRole("button", { name: "extract.orders in r1: success" })).toBeNull();
  expect(screen.getByRole("button", { name: /▸ extract/ }).getAttribute("aria-expanded")).toBe("false");
});

test("of many runs and tasks, only those in sight are there", async () => {
  const rows = Array.from({ length: 1_000 }, (_, number) => row(`task_${number}`));
  const success = rows.map((_, number) => number);
  answer("GET /ui/grid/sales", () => ({
    rows,
    runs: Array.from({ length: 200 }, (_, number) => run(`r${number}`, { success })),
  }));
  shown();

  await waitFor(() => {
    expect(document.querySelectorAll("td").length).toBeGreaterThan(0);
  });
  expect(document.querySelectorAll("td").length).toBeLessThan(2_000);
});

test("a group in a run is chosen with its cell (A8)", async () => {
  answer("GET /ui/grid/sales", () => ({
    rows: [row("extract", null, true), row("extract.orders", "extract")],
    runs: [run("r1", { success: [1] })],
  }));
  const onSelect = shown();

  fireEvent.click(await screen.findByRole("button", { name: "extract in r1: success" }));

  expect(onSelect).toHaveBeenCalledWith({ run: "r1", task: undefined, group: "extract" });
  expect(screen.getByRole("button", { name: "extract.orders in r1: success" }), "it stays unfolded").toBeTruthy();
});

test("with Shift, arrows choose from anywhere, and Space folds the group of what is chosen (A8)", async () => {
  answer("GET /ui/grid/sales", () => ({
    rows: [row("extract", null, true), row("extract.orders", "extract"), row("publish")],
    runs: [run("r1", { success: [1, 2] }), run("r2", { success: [1, 2] })],
  }));
  const onSelect = shown({ selected: { run: "r2", task: "extract.orders" } });
  await screen.findByRole("button", { name: "publish in r2: success" });
  const press = (key: string, shiftKey = true) =>
    fireEvent.keyDown(document.activeElement ?? document.body, { key, shiftKey });

  press("ArrowLeft");
  expect(onSelect).toHaveBeenLastCalledWith({ run: "r1", task: "extract.orders" });
  press("ArrowUp");
  expect(onSelect).toHaveBeenLastCalledWith({ run: "r1", task: undefined, group: "extract" });
  expect(document.activeElement?.getAttribute("aria-label")).toBe("extract in r1: success");
  press("ArrowUp");
  expect(onSelect).toHaveBeenLastCalledWith({ run: "r1", task: undefined });

  press("ArrowDown");
  press(" ", false);
  expect(screen.queryByRole("button", { name: "extract.orders in r1: success" }), "folded by its cell").toBeNull();
  press(" ", false);
  expect(screen.getByRole("button", { name: "extract.orders in r1: success" })).toBeTruthy();

  (document.activeElement as HTMLElement).blur();
  press(" ", false);
  expect(screen.queryByRole("button", { name: "extract.orders in r1: success" })).toBeNull();
});

test("the column that is pointed at stands out (A8)", async () => {
  answer("GET /ui/grid/sales", () => ({
    rows: [row("load")],
    runs: [run("r1", { success: [0] }), run("r2", { success: [0] })],
  }));
  shown();
  const cell = await screen.findByRole("button", { name: "load in r2: success" });
  const line = document.querySelector<HTMLElement>("[class*=crosshair]");
  expect(line?.hidden).toBe(true);

  fireEvent.pointerOver(cell);
  expect(line?.hidden).toBe(false);
  expect(line?.style.left).toContain("20px");
  fireEvent.pointerOver(screen.getByRole("rowheader", { name: "load" }));
  expect(line?.hidden).toBe(true);
});

test("only the tasks that are looked for are shown, and filters that nothing fits are told from a DAG without runs (A8)", async () => {
  answer("GET /ui/grid/sales", () => ({
    rows: [row("extract", null, true), row("extract.orders", "extract"), row("publish")],
    runs: [run("r1", { success: [1, 2] })],
  }));
  shown({ search: "ORD" });
  await screen.findByRole("button", { name: "extract.orders in r1: success" });
  expect(screen.getByRole("button", { name: /extract$/ })).toBeTruthy();
  expect(screen.queryByRole("rowheader", { name: "publish" })).toBeNull();
  shown({ search: "nothing of the kind" });
  expect(await screen.findByText("No task fits")).toBeTruthy();

  answer("GET /ui/grid/sales", () => ({ rows: [row("load")], runs: [] }));
  shown({ wanted: { state: "failed" } });
  expect(await screen.findByText("No run fits the filters")).toBeTruthy();
});

test("a DAG without runs says what to do, and what went wrong is said", async () => {
  answer("GET /ui/grid/sales", () => ({ rows: [row("load")], runs: [] }));
  shown();
  expect(await screen.findByText("This DAG has no runs yet")).toBeTruthy();

  refuse("GET /ui/grid/sales", 404, "There is no DAG sales");
  shown();
  expect((await screen.findByRole("alert")).textContent).toContain("There is no DAG sales");
});
