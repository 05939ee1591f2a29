import { useEffect, useRef } from "react";

import { Button } from "~/components/Button";
import { isMac, keyCaps } from "~/lib/keys";
import { useRegistered } from "~/lib/shortcuts";

import styles from "./ShortcutSheet.module.css";

/** All keys that do something at the moment. */
export default function ShortcutSheet({ onClose }: { onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const shortcuts = useRegistered().flat();
  const groups = [...new Set(shortcuts.map(({ group }) => group))];
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  return (
    <dialog ref={dialog} className={styles.sheet} aria-label="Keyboard shortcuts" onClose={onClose}>
      <h2>Keyboard shortcuts</h2>
      <div className={styles.groups}>
        {groups.map((title) => (
          <section key={title}>
            <h3>{title}</h3>
            <dl>
              {shortcuts
                .filter(({ group }) => group === title)
                .map(({ keys, title: what }) => (
                  <div key={keys}>
                    <dt>
                      {keyCaps(keys, isMac).map((cap, position) => (
                        <kbd key={position}>{cap}</kbd>
                      ))}
                    </dt>
                    <dd>{what}</dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
      <Button className={styles.close} onClick={onClose}>
        Close
      </Button>
    </dialog>
  );
}
