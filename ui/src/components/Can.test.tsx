// @vitest-environment happy-dom
import { screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";

import { rendered } from "~/test/rendered";
import { answer } from "~/test/server";

import { Can } from "./Can";

function shown(rights: string[], granted: Record<string, string[]> = {}) {
  answer("GET /auth/me", () => ({ username: "vera", level: "Viewer", rights: { DAG: rights }, granted }));
  rendered(
    <>
      <Can action="edit" resource="DAG" dagId="sales">
        <button type="button">Trigger</button>
      </Can>
      <Can action="edit" resource="DAG" dagId="sales" explain>
        <button type="button">Clear</button>
      </Can>
    </>,
  );
}

test("who may, can", async () => {
  shown(["read", "edit"]);

  expect(await screen.findByText("Trigger")).toBeTruthy();
  expect(screen.getByText("Clear").closest("fieldset")).toBeNull();
});

test("who may not sees nothing of it, or why", async () => {
  shown(["read"]);

  const clear = await screen.findByText("Clear");
  expect(clear.closest("fieldset")?.disabled).toBe(true);
  expect(clear.closest("fieldset")?.title).toContain("Your role (Viewer) may not change the DAG sales");
  expect(screen.queryByText("Trigger")).toBeNull();
});

test("a DAG may let its own people do more", async () => {
  shown(["read"], { sales: ["edit"] });

  await waitFor(() => {
    expect(screen.getByText("Trigger")).toBeTruthy();
  });
});
