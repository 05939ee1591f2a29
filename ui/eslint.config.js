import hooks from "eslint-plugin-react-hooks";
import tseslint from "typescript-eslint";

/** What a folder may import: those to its right. Features do not know each other. */
const layers = ["lib", "api", "components", "features", "routes", "app"];

const boundaries = layers.map((layer, position) => ({
  files: [`src/${layer}/**/*.{ts,tsx}`],
  rules: {
    "no-restricted-imports": [
      "error",
      { patterns: layers.slice(position + 1).map((later) => ({ group: [`~/${later}/*`, `~/${later}`] })) },
    ],
  },
}));

export default tseslint.config(
  { ignores: ["src/api/schema.ts"] },
  ...tseslint.configs.strictTypeChecked,
  ...tseslint.configs.stylisticTypeChecked,
  hooks.configs.flat.recommended,
  {
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      "max-lines": ["error", 300],
      // Lists of thousands are made with it; nothing here is compiled to be memoized.
      "react-hooks/incompatible-library": "off",
      "max-depth": ["error", 3],
      complexity: ["error", 12],
      "@typescript-eslint/consistent-type-definitions": ["error", "interface"],
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
    },
  },
  ...boundaries,
);
