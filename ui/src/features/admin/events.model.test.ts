import { expect, test } from "vitest";

import { eventsParameters, parseEventsSearch } from "./events.model";

test("of an address, what makes sense is taken", () => {
  expect(parseEventsSearch({ dag: "sales", run: 7, user: "", other: "x" })).toEqual({ dag: "sales", run: "7" });
});

test("what is asked of the server is what was chosen", () => {
  expect(eventsParameters({ dag: "sales", user: "anna", after: "2026-01-01T00:00:00Z", before: "soon" })).toEqual({
    dag_id_pattern: "%sales%",
    owner_pattern: "%anna%",
    after: "2026-01-01T00:00:00.000Z",
  });
});
