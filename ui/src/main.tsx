import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { RouterProvider } from "@tanstack/react-router";
import { StrictMode } from "react";
import { createRoot } from "react-dom/client";

import { Refused } from "~/api/client";
import { apply } from "~/lib/settings";
import { watchParts } from "~/lib/upgrade";

import { router } from "./app/router";
import "./app/theme.css";

function triesOf(error: Error): number {
  if (error instanceof Refused) return error.status < 500 ? 0 : 1;
  return 2;
}

const client = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      // A server may be on this machine, or in a network that the browser does not think of as one.
      networkMode: "always",
      // What the server refuses it refuses again; only what was lost on the way is worth another try.
      retry: (failures, error) => failures < triesOf(error),
      retryDelay: (failures) => 500 * 2 ** failures,
    },
  },
});

apply();
watchParts();
const root = document.getElementById("root");
if (root === null) throw new Error("the page has no place for the application");
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={client}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
