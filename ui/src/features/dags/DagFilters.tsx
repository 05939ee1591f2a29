import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";

import { tagsQuery } from "~/api/around";
import { stateName } from "~/lib/states";

import styles from "./DagFilters.module.css";
import { type DagsSearch, runStates, schedules } from "./list.model";

/** While somebody types, the list waits so many milliseconds for more. */
const typing = 200;

interface Props {
  search: DagsSearch;
  onChange: (next: DagsSearch) => void;
}

/** What of all DAGs is shown. */
export function DagFilters({ search, onChange }: Props) {
  return (
    <div className={styles.filters} role="search" aria-label="DAGs">
      <SearchField q={search.q ?? ""} onChange={onChange} />
      <Choice
        label="Which DAGs"
        value={search.broken ? "broken" : search.paused === undefined ? "all" : search.paused ? "paused" : "active"}
        choices={{ all: "All DAGs", active: "Active", paused: "Paused", broken: "Cannot be read" }}
        onChange={(value) => {
          onChange({
            paused: value === "active" ? false : value === "paused" ? true : undefined,
            broken: value === "broken" || undefined,
          });
        }}
      />
      <Choice
        label="State of the last run"
        value={search.state ?? "any"}
        choices={{ any: "Any state", ...Object.fromEntries(runStates.map((state) => [state, stateName(state)])) }}
        onChange={(value) => {
          onChange({ state: runStates.find((state) => state === value) });
        }}
      />
      <Choice
        label="Schedule"
        value={search.schedule ?? "any"}
        choices={{ any: "Any schedule", assets: "Waits for assets", time: "No assets" }}
        onChange={(value) => {
          onChange({ schedule: schedules.find((schedule) => schedule === value) });
        }}
      />
      <Tags chosen={search.tags ?? []} onChange={onChange} />
      <button
        type="button"
        className={styles.toggle}
        aria-pressed={search.favorite ?? false}
        onClick={() => {
          onChange({ favorite: search.favorite ? undefined : true });
        }}
      >
        ★ Favorites
      </button>
      <Chips search={search} onChange={onChange} />
    </div>
  );
}

function SearchField({ q, onChange }: { q: string; onChange: Props["onChange"] }) {
  const [text, setText] = useState(q);
  const told = useRef(q);
  // Somebody else may change it: the way back of the browser, or a link.
  useEffect(() => {
    if (q !== told.current) setText(q);
    told.current = q;
  }, [q]);
  useEffect(() => {
    if (text === told.current) return undefined;
    const timer = window.setTimeout(() => {
      told.current = text;
      onChange({ q: text || undefined });
    }, typing);
    return () => {
      window.clearTimeout(timer);
    };
  }, [text, onChange]);
  return (
    <input
      type="search"
      value={text}
      placeholder="Search DAGs"
      aria-label="Search DAGs"
      onChange={({ target }) => {
        setText(target.value);
      }}
    />
  );
}

interface ChoiceProps {
  label: string;
  value: string;
  choices: Record<string, string>;
  onChange: (value: string) => void;
}

function Choice({ label, value, choices, onChange }: ChoiceProps) {
  return (
    <select
      aria-label={label}
      value={value}
      onChange={({ target }) => {
        onChange(target.value);
      }}
    >
      {Object.entries(choices).map(([name, title]) => (
        <option key={name} value={name}>
          {title}
        </option>
      ))}
    </select>
  );
}

function Tags({ chosen, onChange }: { chosen: string[]; onChange: Props["onChange"] }) {
  const { data: tags = [], isPending } = useQuery(tagsQuery);
  const others = tags.filter((tag) => !chosen.includes(tag));
  if (others.length === 0 && !isPending) return null;
  return (
    <Choice
      label="Tag"
      value=""
      choices={{ "": "Tag…", ...Object.fromEntries(others.map((tag) => [tag, tag])) }}
      onChange={(tag) => {
        if (tag) onChange({ tags: [...chosen, tag] });
      }}
    />
  );
}

function Chips({ search: { tags = [], anyTag, owner }, onChange }: Props) {
  return (
    <>
      {owner && (
        <Chip
          text={`owner ${owner}`}
          onRemove={() => {
            onChange({ owner: undefined });
          }}
        />
      )}
      {tags.length > 1 && (
        <button
          type="button"
          className={styles.toggle}
          aria-pressed={anyTag ?? false}
          onClick={() => {
            onChange({ anyTag: anyTag ? undefined : true });
          }}
        >
          Any of the tags
        </button>
      )}
      {tags.map((tag) => (
        <Chip
          key={tag}
          text={tag}
          onRemove={() => {
            const left = tags.filter((each) => each !== tag);
            onChange({ tags: left.length > 0 ? left : undefined });
          }}
        />
      ))}
    </>
  );
}

function Chip({ text, onRemove }: { text: string; onRemove: () => void }) {
  return (
    <span className={styles.chip}>
      {text}
      <button type="button" aria-label={`Without ${text}`} onClick={onRemove}>
        ×
      </button>
    </span>
  );
}
