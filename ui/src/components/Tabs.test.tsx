// @vitest-environment happy-dom
import { fireEvent, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";

import { rendered } from "~/test/rendered";

import { Tabs } from "./Tabs";

const tabs = [
  ["logs", "Logs"],
  ["xcom", "XCom"],
  ["details", "Details"],
] as const;

/** A line in which there is room for 100 of 300 pixels. */
function narrow(): HTMLElement {
  const line = screen.getByRole("tablist");
  Object.defineProperties(line, { clientWidth: { value: 100 }, scrollWidth: { value: 300 } });
  fireEvent.scroll(line);
  return line;
}

test("where tabs have no room, buttons lead to those out of sight, and only where there are some (A8)", () => {
  rendered(<Tabs label="About" tabs={tabs} chosen="logs" onChoose={vi.fn()} />);
  expect(screen.queryByTitle("More tabs")).toBeNull();
  const line = narrow();
  const scroll = vi.fn();
  line.scrollBy = scroll;

  expect(screen.queryByTitle("Tabs before")).toBeNull();
  fireEvent.click(screen.getByTitle("More tabs"));
  expect(scroll).toHaveBeenCalledWith({ left: 70, behavior: "smooth" });
  line.scrollLeft = 200;
  fireEvent.scroll(line);

  expect(screen.queryByTitle("More tabs")).toBeNull();
  expect(screen.getByTitle("Tabs before")).toBeTruthy();
});

test("arrows lead from tab to tab", () => {
  const choose = vi.fn();
  rendered(<Tabs label="About" tabs={tabs} chosen="logs" onChoose={choose} />);

  fireEvent.keyDown(screen.getByRole("tab", { name: "Logs" }), { key: "ArrowLeft" });

  expect(choose).toHaveBeenCalledWith("details");
  expect(document.activeElement?.textContent).toBe("Details");
});
