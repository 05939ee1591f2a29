import { useQuery } from "@tanstack/react-query";

import { linksQuery } from "~/api/instanceQueries";
import type { TaskPlace } from "~/api/queries";

import { isSafeLink } from "./task.model";
import styles from "./Tab.module.css";

/** Links of the operator to pages elsewhere. */
export function ExtraLinks({ place }: { place: TaskPlace }) {
  const { data } = useQuery(linksQuery(place));
  const links = Object.entries(data?.extra_links ?? {});
  if (links.length === 0) return null;
  return (
    <nav className={styles.links} aria-label="Links of the operator">
      {links.map(([name, address]) =>
        address !== null && isSafeLink(address) ? (
          <a key={name} href={address} target="_blank" rel="noreferrer noopener">
            {name} ↗
          </a>
        ) : (
          <span key={name} title="The task has not left an address for it yet">
            {name}
          </span>
        ),
      )}
    </nav>
  );
}
