/** The configuration and plugins, as far as pages show them. */

interface Section {
  name: string;
  options: { key: string; value: string | readonly string[] }[];
}

/** Sections whose name fits, with all options; of others, the options that fit. */
export function fittingSections(sections: readonly Section[], text: string): Section[] {
  const word = text.trim().toLowerCase();
  if (word === "") return [...sections];
  return sections
    .map((section) =>
      section.name.toLowerCase().includes(word)
        ? section
        : { ...section, options: section.options.filter(({ key }) => key.toLowerCase().includes(word)) },
    )
    .filter(({ options }) => options.length > 0);
}

const kinds = {
  macros: "macro",
  flask_blueprints: "Flask blueprint",
  fastapi_apps: "web application",
  fastapi_root_middlewares: "middleware",
  external_views: "external view",
  react_apps: "part of the pages",
  appbuilder_views: "view",
  global_operator_extra_links: "link of all operators",
  operator_extra_links: "link of operators",
  listeners: "listener",
  timetables: "timetable",
} as const;

/** What a plugin brings: `2 macros`, `1 listener`. */
export function brought(plugin: Record<keyof typeof kinds, readonly unknown[]>): string[] {
  return (Object.keys(kinds) as (keyof typeof kinds)[])
    .filter((name) => plugin[name].length > 0)
    .map((name) => `${plugin[name].length} × ${kinds[name]}`);
}
