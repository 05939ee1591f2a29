// @vitest-environment happy-dom
import { render } from "@testing-library/react";
import { expect, test, vi } from "vitest";

import { useShortcuts } from "./shortcuts";

function Pressing({ shortcuts }: { shortcuts: Parameters<typeof useShortcuts>[0] }) {
  useShortcuts(shortcuts);
  return (
    <>
      <input data-testid="shown" />
      <dialog>
        <input data-testid="closed" />
      </dialog>
    </>
  );
}

function pressedIn(field: "shown" | "closed"): number {
  const run = vi.fn();
  const { getByTestId, unmount } = render(<Pressing shortcuts={[{ keys: "x", title: "", group: "", run }]} />);
  getByTestId(field).dispatchEvent(new KeyboardEvent("keydown", { key: "x", bubbles: true }));
  unmount();
  return run.mock.calls.length;
}

test("the space key presses what has the focus, and is a shortcut elsewhere (A8)", () => {
  const run = vi.fn();
  const { getByRole, container, unmount } = render(
    <>
      <button type="button">Here</button>
      <Pressing shortcuts={[{ keys: "space", title: "", group: "", run }]} />
    </>,
  );
  const press = (target: Element) => target.dispatchEvent(new KeyboardEvent("keydown", { key: " ", bubbles: true }));

  press(getByRole("button"));
  expect(run).not.toHaveBeenCalled();
  press(container);
  expect(run).toHaveBeenCalledOnce();
  unmount();
});

test("keys are text in a field (A8)", () => {
  expect(pressedIn("shown")).toBe(0);
});

test("keys work at once after a dialog was closed, though its field keeps the focus until the next frame (A8)", () => {
  expect(pressedIn("closed")).toBe(1);
});
