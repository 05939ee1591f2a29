import { useState } from "react";

import type { PluginView } from "~/api/pluginViews";
import { Notice } from "~/components/Notice";

import styles from "./Plugins.module.css";
import { addressOf, hostOf, type Place } from "./views.model";

/**
 * What it may do: run, and remember what its own server knows of it. It may not lead this page elsewhere, nor look into it:
 * it is of another server, and ours lets no page of its own be framed.
 */
const sandbox =
  "allow-scripts allow-same-origin allow-forms allow-popups allow-popups-to-escape-sandbox allow-downloads";

/** A page of another server. */
export function PluginFrame({ view, place }: { view: PluginView; place?: Place | undefined }) {
  const [loaded, setLoaded] = useState<string>();
  const address = addressOf(view, place);
  if (address === undefined) {
    return (
      <Notice isError title={`${view.name} cannot be shown`}>
        <p>Its address is none that a page may show. Who looks after the plugin {view.plugin} can change it.</p>
      </Notice>
    );
  }
  return (
    <section className={styles.framed} aria-label={view.name} aria-busy={loaded !== address}>
      <iframe
        // Another place is another page, not one to go back from.
        key={address}
        src={address}
        title={view.name}
        sandbox={sandbox}
        referrerPolicy="no-referrer"
        onLoad={() => {
          setLoaded(address);
        }}
      />
      <p className={styles.from}>
        Shown by {hostOf(address)}. Nothing to see? It may not let itself be shown here:{" "}
        <a href={address} target="_blank" rel="noopener noreferrer">
          open it in a new tab
        </a>
        .
      </p>
    </section>
  );
}
