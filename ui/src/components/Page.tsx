import { useEffect, type ReactNode } from "react";

import { instance } from "~/lib/instance";

import styles from "./Page.module.css";

interface Props {
  title: string;
  /** In the place of the title, where it is more than words. */
  heading?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
}

/** A page with its title, also in the browser's tab. */
export function Page({ title, heading, actions, children }: Props) {
  useEffect(() => {
    document.title = `${title} · ${instance.name}`;
  }, [title]);
  return (
    <main id="main" tabIndex={-1} className={styles.page}>
      <header className={styles.header}>
        <h1>{heading ?? title}</h1>
        <div className={styles.actions}>{actions}</div>
      </header>
      {children}
    </main>
  );
}
