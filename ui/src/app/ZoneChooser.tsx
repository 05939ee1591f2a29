import { useId, useState } from "react";

import { changeSettings, useSettings, zones } from "~/lib/settings";

import styles from "./UserMenu.module.css";
import { findZones } from "./zones.model";

/** Time zones by name or offset. Arrows go through those found; Enter takes one. */
export function ZoneChooser() {
  const { zone } = useSettings();
  const [query, setQuery] = useState("");
  const [marked, setMarked] = useState(0);
  const id = useId();
  const found = findZones(zones(), query, new Date());
  const choose = (name: string | undefined) => {
    if (name === undefined) return;
    changeSettings({ zone: name });
    setQuery("");
    setMarked(0);
  };
  return (
    <div className={styles.field}>
      <label htmlFor={id}>
        Time zone <small>now {zone}</small>
      </label>
      <input
        id={id}
        type="search"
        role="combobox"
        aria-expanded="true"
        aria-controls={`${id}-zones`}
        aria-activedescendant={found[marked] ? `${id}-${marked}` : undefined}
        placeholder="City or offset"
        value={query}
        onChange={({ target }) => {
          setQuery(target.value);
          setMarked(0);
        }}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") setMarked(Math.min(found.length - 1, marked + 1));
          else if (event.key === "ArrowUp") setMarked(Math.max(0, marked - 1));
          else if (event.key === "Enter") choose(found[marked]?.name);
          else return;
          event.preventDefault();
        }}
      />
      <ul id={`${id}-zones`} role="listbox" aria-label="Time zones" className={styles.zones}>
        {found.map(({ name, offset }, position) => (
          <li
            key={name}
            id={`${id}-${position}`}
            role="option"
            aria-selected={name === zone}
            data-marked={position === marked}
            ref={(element) => {
              if (position === marked && query) element?.scrollIntoView({ block: "nearest" });
            }}
            onClick={() => {
              choose(name);
            }}
          >
            {name.replaceAll("_", " ")} <small>{offset}</small>
          </li>
        ))}
        {found.length === 0 && <li aria-disabled="true">No such time zone</li>}
      </ul>
    </div>
  );
}
