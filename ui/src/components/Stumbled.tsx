import type { ErrorComponentProps } from "@tanstack/react-router";
import { useEffect, useState } from "react";

import { Button } from "./Button";
import { Notice } from "./Notice";
import { Page } from "./Page";
import { Skeleton } from "./Skeleton";
import { type Found, isMissingPart, lookForUpgrade } from "~/lib/upgrade";

/** In the place of a page that could not be shown. */
export function StumbledPage(props: ErrorComponentProps) {
  return (
    <Page title="Something went wrong">
      <Stumbled {...props} />
    </Page>
  );
}

/** In the place of what could not be shown. After an upgrade of the server, the page is loaded anew by itself. */
export function Stumbled({ error }: ErrorComponentProps) {
  const isMissing = isMissingPart(error);
  const [found, setFound] = useState<Found>();
  useEffect(() => {
    if (!isMissing) return;
    let isShown = true;
    void lookForUpgrade().then((now) => {
      if (!isShown) return;
      setFound(now);
      if (now === "newer") window.location.reload();
    });
    return () => {
      isShown = false;
    };
  }, [isMissing]);
  if (isMissing && (found === undefined || found === "newer")) return <Skeleton />;
  return (
    <Notice isError title={isMissing ? "A part of this page did not come" : "This could not be shown"}>
      <p>
        {found === "away"
          ? "The server does not answer. Is it running?"
          : String(error instanceof Error ? error.message : error)}
      </p>
      <Button
        kind="deed"
        onClick={() => {
          // Where no server answers, the browser would show a page of its own, from which nothing leads back.
          void lookForUpgrade().then((now) => {
            setFound(now);
            if (now !== "away") window.location.reload();
          });
        }}
      >
        Try again
      </Button>
    </Notice>
  );
}
