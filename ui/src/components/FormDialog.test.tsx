// @vitest-environment happy-dom
import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, test, vi } from "vitest";

import { rendered } from "~/test/rendered";

import { type Field, FormDialog, type Values } from "./FormDialog";

const fields: Field[] = [
  { name: "name", label: "Name", kind: "text", isRequired: true, isFixed: true },
  { name: "slots", label: "Slots", kind: "number" },
  { name: "secret", label: "Password", kind: "password" },
  { name: "words", label: "Description", kind: "long text" },
  { name: "deferred", label: "Count deferred", kind: "check" },
];
const values = { name: "gpu", slots: "2", deferred: false };

function shown(save: (values: Values) => Promise<unknown>, onClose = vi.fn()) {
  rendered(<FormDialog title="Change gpu" fields={fields} values={values} deed="Save" save={save} onClose={onClose} />);
  return onClose;
}

test("what was typed is saved, and the dialog closes", async () => {
  const save = vi.fn().mockResolvedValue(undefined);
  const onClose = shown(save);

  fireEvent.change(screen.getByLabelText("Slots"), { target: { value: "4" } });
  fireEvent.click(screen.getByLabelText("Count deferred"));
  fireEvent.click(screen.getByRole("button", { name: "Save" }));

  await waitFor(() => {
    expect(onClose).toHaveBeenCalled();
  });
  expect(save).toHaveBeenCalledWith({ name: "gpu", slots: "4", deferred: true });
});

test("what the server refuses is said, and nothing is lost", async () => {
  const onClose = shown(() => Promise.reject(new Error("There are none below -1")));

  fireEvent.change(screen.getByLabelText("Slots"), { target: { value: "-3" } });
  fireEvent.click(screen.getByRole("button", { name: "Save" }));

  expect((await screen.findByRole("alert")).textContent).toBe("There are none below -1");
  expect(screen.getByLabelText<HTMLInputElement>("Slots").value).toBe("-3");
  expect(onClose).not.toHaveBeenCalled();
});

test("each field is of its kind, and browsers offer no stored password", () => {
  shown(() => Promise.resolve());

  expect(screen.getByLabelText<HTMLInputElement>("Name").readOnly).toBe(true);
  expect(screen.getByLabelText("Password").getAttribute("autocomplete")).toBe("new-password");
  expect(screen.getByLabelText("Description").tagName).toBe("TEXTAREA");
  expect(screen.getByRole("dialog", { name: "Change gpu" })).toBeTruthy();
});
