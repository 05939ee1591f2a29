// @vitest-environment happy-dom
import { fireEvent, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";

import { rendered } from "~/test/rendered";

import { Button } from "./Button";
import { Moment } from "./Moment";
import { Notice } from "./Notice";
import { State } from "./State";
import { Toggle } from "./Toggle";

test("a switch says how it is, and asks for the other", () => {
  const onChange = vi.fn();
  rendered(<Toggle isOn label="Pause sales" onChange={onChange} />);

  const toggle = screen.getByRole("switch", { name: "Pause sales", checked: true });
  fireEvent.click(toggle);

  expect(onChange).toHaveBeenCalledWith(false);
});

test("a switch that cannot be used does nothing", () => {
  const onChange = vi.fn();
  rendered(<Toggle isOn isDisabled label="Pause sales" onChange={onChange} />);

  fireEvent.click(screen.getByRole("switch"));

  expect(onChange).not.toHaveBeenCalled();
});

test("a button within a form does not send it unless it shall", () => {
  rendered(<Button>Cancel</Button>);

  expect(screen.getByRole("button", { name: "Cancel" }).getAttribute("type")).toBe("button");
});

test("a state has its name beside its colour", () => {
  rendered(<State state="up_for_retry" />);

  expect(screen.getByText("up for retry").closest("[data-state]")?.getAttribute("data-state")).toBe("up_for_retry");
});

test("an error is told at once, a notice when there is time", () => {
  rendered(
    <>
      <Notice isError title="It broke.">
        Mend it.
      </Notice>
      <Notice title="Nothing here.">Add one.</Notice>
    </>,
  );

  expect(screen.getByRole("alert").textContent).toBe("It broke.Mend it.");
  expect(screen.getByRole("status").textContent).toBe("Nothing here.Add one.");
});

test("an instant can be read by machines, and one that is not there is a dash", () => {
  rendered(
    <>
      <Moment at="2026-01-02T03:04:05Z" />
      <Moment at={null} />
    </>,
  );

  expect(document.querySelector("time")?.getAttribute("datetime")).toBe("2026-01-02T03:04:05Z");
  expect(screen.getByText("–")).toBeTruthy();
});
