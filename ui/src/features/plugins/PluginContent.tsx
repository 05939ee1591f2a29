import { lazy, Suspense } from "react";

import type { PluginView } from "~/api/pluginViews";
import { Skeleton } from "~/components/Skeleton";

import { PluginFrame } from "./PluginFrame";
import type { Place } from "./views.model";

/** What only pages with such a part need. */
const PluginApp = lazy(() => import("./PluginApp"));

/** A view that has room in a page: a frame, or a part that runs in it. */
export function PluginContent({ view, place }: { view: PluginView; place?: Place | undefined }) {
  if (view.kind !== "react") return <PluginFrame view={view} place={place} />;
  return (
    <Suspense fallback={<Skeleton />}>
      <PluginApp view={view} place={place} />
    </Suspense>
  );
}
