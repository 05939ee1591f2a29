/** Components in a document that is only pretended. */
import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { cleanup, configure, render } from "@testing-library/react";
import type { ReactNode } from "react";
import { afterEach } from "vitest";

// A slow machine is no failure.
configure({ asyncUtilTimeout: 30_000 });
afterEach(cleanup);

export function rendered(element: ReactNode) {
  const client = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  return render(<QueryClientProvider client={client}>{element}</QueryClientProvider>);
}

/** Something that a careless component would run. */
export const evil = '<img src="x" onerror="window.hacked=1">';
