import type { PluginView } from "~/api/pluginViews";

import { Icon } from "./Icon";
import { addressOf, isElsewhere, type Place } from "./views.model";

/** To another server, beside the page; to this one, in its place. */
export function PluginLink({ view, place }: { view: PluginView; place?: Place }) {
  const address = addressOf(view, place);
  if (address === undefined) return null;
  const elsewhere = isElsewhere(address) && {
    target: "_blank",
    rel: "noopener noreferrer",
    title: "Opens in a new tab",
  };
  return (
    <a href={address} {...elsewhere}>
      <Icon view={view} /> {view.name}
      {elsewhere && <span aria-hidden="true"> ↗</span>}
    </a>
  );
}
