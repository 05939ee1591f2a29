// @vitest-environment happy-dom
import { fireEvent, screen } from "@testing-library/react";
import { expect, test } from "vitest";

import { evil, rendered } from "~/test/rendered";

import { PagedTable } from "./PagedTable";

const all = Array.from({ length: 120 }, (_, number) => `row ${number}`);

function shown(rows: string[], refusal?: string) {
  const load = (offset: number, limit: number) =>
    refusal === undefined
      ? Promise.resolve({ rows: rows.slice(offset, offset + limit), total: rows.length })
      : Promise.reject(new Error(refusal));
  rendered(
    <PagedTable
      label="Pools"
      queryKey={["pools"]}
      load={load}
      columns={[{ title: "Name", cell: (row: string) => row }]}
      rowKey={(row) => row}
      empty="Add one."
    />,
  );
}

test("a table is read page by page", async () => {
  shown(all);

  expect(await screen.findByText("row 0")).toBeTruthy();
  expect(screen.getByRole("table", { name: "Pools" }).querySelectorAll("tbody tr")).toHaveLength(50);
  fireEvent.click(screen.getByRole("button", { name: /After/ }));
  expect(await screen.findByText("row 50")).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: /After/ }));
  expect(await screen.findByText("row 119")).toBeTruthy();
  expect(screen.getByRole<HTMLButtonElement>("button", { name: /After/ }).disabled).toBe(true);
});

test("where there is nothing, it says what to do", async () => {
  shown([]);

  expect((await screen.findByText(/Add one\./)).closest('[role="status"]')).not.toBeNull();
});

test("what went wrong is said", async () => {
  shown([], "The database is away");

  expect((await screen.findByRole("alert")).textContent).toContain("The database is away");
});

test("names are text, whatever is in them", async () => {
  shown([evil]);

  expect(await screen.findByText(evil)).toBeTruthy();
  expect(document.querySelector("img")).toBeNull();
});
