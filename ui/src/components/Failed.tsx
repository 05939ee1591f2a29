import { type QueryClient, useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";

import { Refused } from "~/api/client";

import { Button } from "./Button";
import { Notice } from "./Notice";

interface Props {
  title: string;
  error: Error;
  /** Where else to go. */
  children?: ReactNode;
}

/** In the place of what the server did not give: why, what helps, and another try. */
export function Failed({ title, error, children }: Props) {
  return (
    <Notice isError title={title}>
      <p>{error.message}</p>
      <p>{adviceOn(error)}</p>
      <TryAgain />
      {children}
    </Notice>
  );
}

/** Asks for everything again that is shown and did not come. */
export function TryAgain() {
  const client = useQueryClient();
  return (
    <Button
      onClick={() => {
        void askAgain(client);
      }}
    >
      Try again
    </Button>
  );
}

function askAgain(client: QueryClient): Promise<void> {
  return client.refetchQueries({ type: "active", predicate: ({ state }) => state.status === "error" });
}

/** What somebody can do about it. */
function adviceOn(error: Error): string {
  const status = error instanceof Refused ? error.status : undefined;
  if (status === undefined) return "Look whether the server runs, and whether this machine has a network.";
  if (status === 403) return "Who administers this deployment can give you the right to see it.";
  if (status === 404) return "It may have been deleted, or have another name now.";
  return status >= 500 ? "The log of the API server says more." : "Another choice may be possible.";
}
