import { type ReactNode, useEffect, useRef } from "react";

import styles from "./Dialog.module.css";

interface Props {
  title: string;
  children: ReactNode;
  /** Buttons; they stay in sight however long the rest is. */
  buttons: ReactNode;
  isWide?: boolean;
  /** Without it there is nothing to send: what is inside may have a form of its own. */
  onSubmit?: () => void;
  onClose: () => void;
}

/** Something that is asked for before anything else goes on. Escape closes it. */
export function Dialog({ title, children, buttons, isWide = false, onSubmit, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    dialog.current?.showModal();
    // One that is taken away is not closed, and the keyboard would go on at the beginning of the page.
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  const inner = (
    <>
      <h2>{title}</h2>
      <div className={styles.body}>{children}</div>
      <div className={styles.buttons}>{buttons}</div>
    </>
  );
  return (
    <dialog
      ref={dialog}
      className={styles.dialog}
      data-wide={isWide}
      aria-label={title}
      onClose={onClose}
      onKeyDown={(event) => {
        if (event.key !== "Escape" || event.defaultPrevented) return;
        // Browsers tell of it only later, when the next key may have opened another one, which would be closed instead.
        event.preventDefault();
        onClose();
      }}
    >
      {onSubmit ? (
        <form
          noValidate
          className={styles.inner}
          onSubmit={(event) => {
            event.preventDefault();
            onSubmit();
          }}
        >
          {inner}
        </form>
      ) : (
        <div className={styles.inner}>{inner}</div>
      )}
    </dialog>
  );
}
