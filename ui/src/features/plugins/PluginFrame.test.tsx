// @vitest-environment happy-dom
import { screen } from "@testing-library/react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";

import type { PluginView } from "~/api/pluginViews";
import { evil, rendered } from "~/test/rendered";

import { PluginFrame } from "./PluginFrame";
import { PluginLink } from "./PluginLink";

const view: PluginView = {
  plugin: "tools",
  name: evil,
  kind: "frame",
  href: "about:blank#{DAG_ID}",
  destination: "dag",
  route: "panels",
  category: null,
  is_top_level: false,
  icon: null,
  icon_dark_mode: null,
};

test("an address that is none is not framed", () => {
  rendered(<PluginFrame view={{ ...view, href: "javascript:alert(1)" }} />);

  expect(screen.getByRole("alert").textContent).toContain("cannot be shown");
  expect(document.querySelector("iframe")).toBeNull();
});

test("a frame says who shows it, and cannot lead the page elsewhere", () => {
  const shown = { ...view, href: "http://panels.invalid:3000/{DAG_ID}" };

  // As text: a document would ask for the page.
  const html = renderToStaticMarkup(<PluginFrame view={shown} place={{ dagId: "a/b" }} />);

  expect(html).toContain('src="http://panels.invalid:3000/a%2Fb"');
  expect(html).toContain('sandbox="allow-scripts allow-same-origin ');
  expect(html).not.toContain("top-navigation");
  expect(html).toContain("Shown by panels.invalid:3000");
  expect(html).not.toContain("<img");
});

test("a link opens another server beside the page, and this one in its place", () => {
  rendered(
    <>
      <PluginLink view={{ ...view, name: "there", href: "https://a.org/{DAG_ID}" }} place={{ dagId: "x" }} />
      <PluginLink view={{ ...view, name: "here", href: "/docs" }} />
      <PluginLink view={{ ...view, name: "nowhere", href: "javascript:alert(1)" }} />
    </>,
  );

  expect(screen.getByRole("link", { name: /^there/ }).getAttribute("rel")).toBe("noopener noreferrer");
  expect(screen.getByRole("link", { name: "here" }).getAttribute("target")).toBeNull();
  expect(screen.queryByText("nowhere")).toBeNull();
});
