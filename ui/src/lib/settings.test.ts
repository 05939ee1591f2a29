import { expect, test } from "vitest";

import { parseSettings } from "./settings";

test("what was kept is taken as far as it makes sense", () => {
  const kept = {
    theme: "dark",
    zone: "Europe/Berlin",
    dates: "de",
    isNavigationHidden: true,
    dagsAsCards: true,
    folded: ["Admin"],
    direction: "up",
  };

  expect(parseSettings(JSON.stringify(kept))).toEqual(kept);
  expect(
    parseSettings(JSON.stringify({ theme: "pink", zone: "Mars/Olympus", dates: "xx", folded: 3, direction: "in" })),
  ).toEqual({
    ...parseSettings(null),
  });
});

test.each([null, "", "{", "3", "null"])("%j is nothing that was kept", (text) => {
  expect(parseSettings(text)).toMatchObject({ theme: "system", dates: "iso", isNavigationHidden: false, folded: [] });
});
