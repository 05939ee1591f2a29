import { Toolbar } from "~/components/Toolbar";

type Search<Name extends string> = Partial<Record<Name | "from" | "to", string | undefined>>;

interface Props<Name extends string> {
  label: string;
  search: Search<Name>;
  /** Parts of names, by what they are called. */
  texts: readonly (readonly [Name, string])[];
  choices?: readonly { name: Name; title: string; values: readonly (readonly [string, string])[] }[];
  onChange: (next: Search<Name>) => void;
}

/** What a list of runs, task instances or XComs is narrowed down by. */
export function Filters<Name extends string>({ label, search, texts, choices = [], onChange }: Props<Name>) {
  const change = (name: Name | "from" | "to", text: string) => {
    onChange({ [name]: text || undefined } as Search<Name>);
  };
  return (
    <div role="search" aria-label={label}>
      <Toolbar>
        {texts.map(([name, title]) => (
          <input
            key={name}
            type="search"
            aria-label={title}
            placeholder={title}
            size={14}
            value={search[name] ?? ""}
            onChange={({ target }) => {
              change(name, target.value);
            }}
          />
        ))}
        {choices.map(({ name, title, values }) => (
          <label key={name}>
            {title}
            <select
              value={search[name] ?? ""}
              onChange={({ target }) => {
                change(name, target.value);
              }}
            >
              <option value="">Any</option>
              {values.map(([value, shown]) => (
                <option key={value} value={value}>
                  {shown}
                </option>
              ))}
            </select>
          </label>
        ))}
        {(["from", "to"] as const).map((name) => (
          <label key={name}>
            {name === "from" ? "From" : "To"}
            <input
              type="date"
              value={search[name] ?? ""}
              onChange={({ target }) => {
                change(name, target.value);
              }}
            />
          </label>
        ))}
      </Toolbar>
    </div>
  );
}
