import react from "@vitejs/plugin-react";
import { defineConfig } from "vitest/config";

const server = "http://127.0.0.1:8080";

export default defineConfig({
  plugins: [react()],
  resolve: { alias: { "~": new URL("./src", import.meta.url).pathname } },
  build: {
    outDir: "../src/tradewind/api/ui/pages",
    emptyOutDir: true,
    // Not `assets`: that is a page.
    assetsDir: "static",
    // The policy of our pages lets nothing in that is written into them, such as small images.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
  },
  server: { proxy: { "/api": server, "/auth": server, "/ui": server } },
  test: {
    include: ["src/**/*.test.{ts,tsx}"],
    setupFiles: ["src/test/server.ts"],
    testTimeout: 60_000,
    // Only for those that ask for it: `// @vitest-environment happy-dom`.
    environmentOptions: { happyDOM: { url: "http://tradewind.test/" } },
  },
});
