// @vitest-environment happy-dom
import { fireEvent, screen } from "@testing-library/react";
import { expect, test, vi } from "vitest";

import { evil, rendered } from "~/test/rendered";

import { JsonView } from "./JsonView";
import { Markdown } from "./Markdown";
import { Note } from "./Note";
import { Tabs } from "./Tabs";

test("Markdown is drawn, and HTML in it is text", () => {
  rendered(<Markdown source={`# Title\n\n**bold** ${evil}\n\n- one\n- two\n\n[there](https://example.com)`} />);

  expect(screen.getByRole("heading", { name: "Title" })).toBeTruthy();
  expect(screen.getByText("bold").tagName).toBe("STRONG");
  expect(screen.getAllByRole("listitem")).toHaveLength(2);
  expect(screen.getByRole("link").getAttribute("href")).toBe("https://example.com");
  expect(document.querySelector("img")).toBeNull();
  expect(document.body.textContent).toContain(evil);
});

test.each(["javascript:window.hacked=1", "JaVaScRiPt:1", "data:text/html,x", "\u0001javascript:1", "vbscript:1"])(
  "a link to %j is none",
  (address) => {
    rendered(<Markdown source={`[there](${address}) <script>window.hacked=1</script>`} />);

    const links = [...document.querySelectorAll("a")].map((link) => link.getAttribute("href") ?? "");
    expect(links.filter((link) => !/^(https?:|mailto:|\/|#)/.test(link))).toEqual([]);
    expect(document.querySelector("script")).toBeNull();
  },
);

test("values of JSON are text, and folded where they are deep", () => {
  rendered(<JsonView value={{ [evil]: evil, deep: { deeper: { deepest: 1 } } }} open={2} />);

  expect(document.querySelector("img")).toBeNull();
  expect(document.body.textContent).toContain(evil);
  expect([...document.querySelectorAll("details")].map(({ open }) => open)).toEqual([true, true, false]);
});

test("arrows lead from tab to tab", () => {
  const onChoose = vi.fn();
  const tabs = [
    ["log", "Log"],
    ["xcom", "XCom"],
    ["details", "Details"],
  ] as const;
  rendered(<Tabs label="Of the task" tabs={tabs} chosen="log" onChoose={onChoose} />);

  const list = screen.getByRole("tablist", { name: "Of the task" });
  fireEvent.keyDown(list, { key: "ArrowRight" });
  fireEvent.keyDown(list, { key: "ArrowLeft" });
  fireEvent.keyDown(list, { key: "End" });

  expect(onChoose.mock.calls.flat()).toEqual(["xcom", "details", "details"]);
  expect(screen.getByRole("tab", { name: "Log", selected: true }).tabIndex).toBe(0);
  expect(screen.getByRole("tab", { name: "XCom" }).tabIndex).toBe(-1);
});

test("a note is text; who may changes it, and an empty one is none", async () => {
  const save = vi.fn().mockResolvedValue(undefined);
  rendered(<Note note={evil} refusal={undefined} save={save} />);

  expect(screen.getByText(evil)).toBeTruthy();
  fireEvent.click(screen.getByRole("button", { name: "Change the note" }));
  fireEvent.change(screen.getByLabelText("Note"), { target: { value: "  " } });
  fireEvent.click(screen.getByRole("button", { name: "Save" }));

  expect(await screen.findByRole("button", { name: "Change the note" })).toBeTruthy();
  expect(save).toHaveBeenCalledWith(null);
});

test("who may not change a note sees why", () => {
  rendered(<Note note={null} refusal="Your role may not." save={vi.fn()} />);

  const button = screen.getByRole<HTMLButtonElement>("button", { name: "Add a note" });
  expect([button.disabled, button.title]).toEqual([true, "Your role may not."]);
});
