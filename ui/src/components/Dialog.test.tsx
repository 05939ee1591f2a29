// @vitest-environment happy-dom
import { fireEvent, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";

import { rendered } from "~/test/rendered";

import { Dialog } from "./Dialog";

function shown(onKeyDown?: (event: { preventDefault: () => void }) => void) {
  const onClose = vi.fn();
  rendered(
    <Dialog title="Mark failed" buttons={null} onClose={onClose}>
      <input aria-label="Note" onKeyDown={onKeyDown} />
    </Dialog>,
  );
  return onClose;
}

test("Escape closes it before the next key is pressed", () => {
  const onClose = shown();

  const isLeftToTheBrowser = fireEvent.keyDown(screen.getByLabelText("Note"), { key: "Escape" });

  expect(onClose).toHaveBeenCalledOnce();
  expect(isLeftToTheBrowser).toBe(false);
});

test("an Escape that something inside has taken does not close it", () => {
  const onClose = shown((event) => {
    event.preventDefault();
  });

  fireEvent.keyDown(screen.getByLabelText("Note"), { key: "Escape" });

  expect(onClose).not.toHaveBeenCalled();
});
