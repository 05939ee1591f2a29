import { expect, test } from "vitest";

import { parseAssetsSearch } from "./views.model";

test("of an address, what makes sense is taken", () => {
  expect(parseAssetsSearch({ q: 7, view: "graph" })).toEqual({ q: "7", view: "graph" });
  expect(parseAssetsSearch({ q: "", view: "cake" })).toEqual({});
});
