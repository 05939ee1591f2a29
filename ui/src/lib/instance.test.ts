// @vitest-environment happy-dom
import { expect, test } from "vitest";

import { readInstance } from "./instance";

function page(head: string): Document {
  const made = document.implementation.createHTMLDocument();
  made.head.innerHTML = head;
  return made;
}

test("a deployment without a name of its own is Tradewind", () => {
  expect(readInstance(page(""))).toEqual({
    name: "Tradewind",
    icon: "/icon.svg",
    darkIcon: "/icon.svg",
    hasApiReference: true,
  });
});

test("its name and icon are those that the server wrote into the page", () => {
  const head = `<meta name="instance-name" content="Shop &lt;b&gt;"><meta name="instance-icon" content="/shop.svg">`;

  expect(readInstance(page(head))).toMatchObject({
    name: "Shop <b>",
    icon: "/shop.svg",
    darkIcon: "/shop.svg",
  });
});

test("in the dark it may have another icon", () => {
  const head = `<meta name="instance-icon" content="/a.svg"><meta name="instance-icon-dark" content="/b.svg">`;

  expect(readInstance(page(head)).darkIcon).toBe("/b.svg");
});

test("the reference of the REST API may be hidden", () => {
  expect(readInstance(page(`<meta name="api-reference" content="hidden">`)).hasApiReference).toBe(false);
});
