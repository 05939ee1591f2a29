import { useState } from "react";

import type { PluginView } from "~/api/pluginViews";
import { useIsDark } from "~/lib/settings";

import styles from "./Plugins.module.css";

/** That of a view, where there is one and it can be loaded. */
export function Icon({ view }: { view: Pick<PluginView, "icon" | "icon_dark_mode"> }) {
  const isDark = useIsDark();
  const source = (isDark ? view.icon_dark_mode : null) ?? view.icon;
  const [missing, setMissing] = useState<string>();
  if (source === null || missing === source) return null;
  return (
    <img
      className={styles.icon}
      src={source}
      alt=""
      width="16"
      height="16"
      referrerPolicy="no-referrer"
      onError={() => {
        setMissing(source);
      }}
    />
  );
}
