// @vitest-environment happy-dom
import { screen } from "@testing-library/react";
import { expect, test } from "vitest";

import { evil, rendered } from "~/test/rendered";
import { answer, refuse } from "~/test/server";

import { Alerts } from "./Alerts";

test("alerts are Markdown, told by their category, and nothing in them runs", async () => {
  answer("GET /ui/alerts", () => ({
    alerts: [
      { text: "The cluster **moves** on Friday.", category: "warning" },
      { text: evil, category: "error" },
    ],
  }));
  const { container } = rendered(<Alerts />);

  const [first, second] = await screen.findAllByRole("listitem");
  expect(first?.textContent).toBe("WarningThe cluster moves on Friday.");
  expect(first?.querySelector("p strong")?.textContent).toBe("moves");
  expect(second?.textContent).toContain(evil);
  expect(container.querySelector("img")).toBeNull();
});

test("where there is none, nothing is there", async () => {
  let isAsked = false;
  answer("GET /ui/alerts", () => {
    isAsked = true;
    return { alerts: [] };
  });
  const { container } = rendered(<Alerts />);

  await expect.poll(() => isAsked).toBe(true);
  expect(container.textContent).toBe("");
});

test("what cannot be asked for says so", async () => {
  refuse("GET /ui/alerts", 503, "The database is away");
  rendered(<Alerts />);

  expect((await screen.findByRole("alert")).textContent).toContain("The database is away");
});
