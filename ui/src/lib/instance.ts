/** What the server wrote into the page about the deployment: its name and its icon, where it has its own, and
 * whether the reference of the REST API may be looked at. */

export interface Instance {
  name: string;
  icon: string;
  darkIcon: string;
  hasApiReference: boolean;
}

export function readInstance(page: Pick<Document, "querySelector">): Instance {
  const said = (name: string) => page.querySelector<HTMLMetaElement>(`meta[name="${name}"]`)?.content ?? "";
  const icon = said("instance-icon") || "/icon.svg";
  return {
    name: said("instance-name") || "Tradewind",
    icon,
    darkIcon: said("instance-icon-dark") || icon,
    hasApiReference: said("api-reference") !== "hidden",
  };
}

export const instance: Instance =
  typeof document === "undefined"
    ? { name: "Tradewind", icon: "/icon.svg", darkIcon: "/icon.svg", hasApiReference: true }
    : readInstance(document);
