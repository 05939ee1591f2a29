/**
 * What whoever looks at the pages may do. The server decides; this only keeps people from asking in vain.
 *
 * In a component, hide an action from those who may not do it:
 *
 *     <Can action="edit" resource="DAG" dagId={dagId}>
 *       <Button>Trigger</Button>
 *     </Can>
 *
 * or show it, disabled, and say why (`explain`: for what people look for in this place). Buttons and fields inside are
 * disabled together, so links have no place there:
 *
 *     <Can action="edit" resource="DAG" dagId={dagId} explain>...</Can>
 *
 * Where neither fits, ask: `useMay()("edit", "DAG", dagId)` is `{ isAllowed, reason }`. What belongs to a DAG (its runs,
 * tasks, backfills, notes, XComs, answers) is resource "DAG", always with `dagId`: a DAG may let its own people do more.
 * Reading is an action too: pages of the navigation are hidden from those who may not read them.
 */
import { useQuery } from "@tanstack/react-query";
import { useCallback } from "react";

import type { Schemas } from "./client";
import { meQuery } from "./queries";

export type Action = Schemas["Action"];
export type Resource = Schemas["Resource"];

export interface Permission {
  isAllowed: boolean;
  /** Why not, for people; undefined while nobody knows yet. */
  reason: string | undefined;
}

export type Me = Pick<Schemas["MeResponse"], "level" | "rights" | "granted">;

const verbs: Record<Action, string> = { read: "see", edit: "change", delete: "delete" };
const plurals: Partial<Record<Resource, string>> = {
  "audit log": "the audit log",
  configuration: "the configuration",
  "own account": "this account",
};

/** Whether they may; `me` undefined: not known yet, so nothing. */
export function permission(me: Me | undefined, action: Action, resource: Resource, dagId?: string): Permission {
  if (me === undefined) return { isAllowed: false, reason: undefined };
  const granted = resource === "DAG" && dagId !== undefined ? (me.granted[dagId] ?? []) : [];
  if (me.rights[resource]?.includes(action) || granted.includes(action)) return { isAllowed: true, reason: undefined };
  const what = dagId === undefined ? (plurals[resource] ?? `${resource}s`) : `the DAG ${dagId}`;
  return { isAllowed: false, reason: `Your role (${me.level}) may not ${verbs[action]} ${what}.` };
}

/** Whether it is known what they may do: what depends on it would push other things away when it comes. */
export function useIsKnown(): boolean {
  return !useQuery(meQuery).isPending;
}

/** Asks for whoever looks. */
export function useMay(): (action: Action, resource: Resource, dagId?: string) => Permission {
  const { data: me } = useQuery(meQuery);
  return useCallback((action, resource, dagId) => permission(me, action, resource, dagId), [me]);
}
