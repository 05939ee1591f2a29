import { Button } from "~/components/Button";
import { useContact } from "~/lib/contact";
import { useIsUpgraded } from "~/lib/upgrade";

import styles from "./ContactWord.module.css";

const words = {
  lost: "The server cannot be reached. What you see may be old; the page tries again by itself.",
  polling: "Changes come with a delay of a few seconds: there is no live stream from the server.",
};

/**
 * Says when changes do not come at once, and when there are newer pages. The place is there from the start, so that
 * screen readers hear of it.
 */
export function ContactWord() {
  const contact = useContact();
  const isUpgraded = useIsUpgraded();
  return (
    <div role="status" className={styles.place}>
      {contact !== "live" && (
        <p className={styles.word} data-contact={contact}>
          {words[contact]}
        </p>
      )}
      {contact === "live" && isUpgraded && (
        <p className={styles.word} data-contact="upgraded">
          The server was upgraded.{" "}
          <Button
            onClick={() => {
              window.location.reload();
            }}
          >
            Load the new pages
          </Button>
        </p>
      )}
    </div>
  );
}
