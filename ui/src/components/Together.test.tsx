// @vitest-environment happy-dom
import { useQuery } from "@tanstack/react-query";
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";

import { api, data } from "~/api/client";
import { answer, refuse } from "~/test/server";
import { rendered } from "~/test/rendered";

import { Failed } from "./Failed";
import { Together } from "./Together";

function Pools() {
  const { data: found, error } = useQuery({ queryKey: ["pools"], queryFn: () => data(api.GET("/api/v2/pools")) });
  if (error) return <Failed title="No pools" error={error} />;
  return <p>{found ? `${found.total_entries} pools` : "asking"}</p>;
}

function Later({ promise }: { promise: Promise<string> }) {
  const { data: found = "asking" } = useQuery({ queryKey: ["later"], queryFn: () => promise });
  return <p>{found}</p>;
}

test("parts are shown when all of them have come", async () => {
  let come: (text: string) => void = () => undefined;
  const promise = new Promise<string>((resolve) => {
    come = resolve;
  });
  answer("GET /api/v2/pools", () => ({ pools: [], total_entries: 2 }));
  rendered(
    <Together>
      <Pools />
      <Later promise={promise} />
    </Together>,
  );

  const quick = await screen.findByText("2 pools");
  expect(quick.closest("[data-shown]")?.getAttribute("data-shown")).toBe("false");
  come("the last");

  const last = await screen.findByText("the last");
  await waitFor(() => {
    expect(last.closest("[data-shown]")?.getAttribute("data-shown")).toBe("true");
  });
  expect(screen.queryByLabelText("Loading")).toBeNull();
});

test("what failed says why and what helps, and another try brings it", async () => {
  refuse("GET /api/v2/pools", 403, "Not for guests");
  rendered(<Pools />);
  const alert = await screen.findByRole("alert");
  expect(alert.textContent).toContain("Not for guests");
  expect(alert.textContent).toContain("give you the right");

  answer("GET /api/v2/pools", () => ({ pools: [], total_entries: 2 }));
  fireEvent.click(screen.getByRole("button", { name: "Try again" }));

  expect(await screen.findByText("2 pools")).toBeTruthy();
});
