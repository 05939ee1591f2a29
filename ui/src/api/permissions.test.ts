import { expect, test } from "vitest";

import { type Me, permission } from "./permissions";

const viewer: Me = {
  level: "Viewer",
  rights: { DAG: ["read"], pool: ["read"], variable: [] },
  granted: { sales: ["edit"] },
};

test("a viewer reads and does not act, and is told so", () => {
  expect(permission(viewer, "read", "DAG", "stock")).toEqual({ isAllowed: true, reason: undefined });
  expect(permission(viewer, "edit", "DAG", "stock").reason).toBe("Your role (Viewer) may not change the DAG stock.");
  expect(permission(viewer, "delete", "pool").reason).toBe("Your role (Viewer) may not delete pools.");
  expect(permission(viewer, "read", "variable").isAllowed).toBe(false);
  expect(permission(viewer, "read", "audit log").reason).toBe("Your role (Viewer) may not see the audit log.");
});

test("a DAG lets its own people do more, there alone", () => {
  expect(permission(viewer, "edit", "DAG", "sales").isAllowed).toBe(true);
  expect(permission(viewer, "delete", "DAG", "sales").isAllowed).toBe(false);
  expect(permission(viewer, "edit", "DAG").isAllowed).toBe(false);
});

test("as long as nobody knows, nothing is allowed and nothing is said", () => {
  expect(permission(undefined, "read", "DAG")).toEqual({ isAllowed: false, reason: undefined });
});
