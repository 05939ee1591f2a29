/** What the page of assets can show. */
export const assetsViews = ["list", "graph", "aliases"] as const;
export type AssetsView = (typeof assetsViews)[number];

export interface AssetsSearch {
  q?: string | undefined;
  view?: AssetsView | undefined;
}

export function parseAssetsSearch({ q, view }: Record<string, unknown>): AssetsSearch {
  const found = assetsViews.find((each) => each === view);
  const text = q === undefined || q === "" ? undefined : typeof q === "string" ? q : JSON.stringify(q);
  return { ...(text !== undefined && { q: text }), ...(found !== undefined && { view: found }) };
}
