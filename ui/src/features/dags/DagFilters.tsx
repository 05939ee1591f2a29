import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";

import { dagChoicesQuery, tagsQuery } from "~/api/around";
import { stateName } from "~/lib/states";

import { Choice } from "./Choice";
import styles from "./DagFilters.module.css";
import { anyRuns, type DagsSearch, runStates, schedules, type View } from "./list.model";
import { Manner } from "./Manner";

/** While somebody types, the list waits so many milliseconds for more. */
const typing = 200;

interface Props {
  search: DagsSearch;
  onChange: (next: DagsSearch) => void;
}

interface FiltersProps extends Props {
  view: View;
  onView: (view: View) => void;
}

/** What of all DAGs is shown, and how. */
export function DagFilters({ search, view, onChange, onView }: FiltersProps) {
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
      <RunStates search={search} onChange={onChange} />
      <Choice
        label="Schedule"
        value={search.schedule ?? "any"}
        choices={{ any: "Any schedule", assets: "Waits for assets", time: "No assets" }}
        onChange={(value) => {
          onChange({ schedule: schedules.find((schedule) => schedule === value) });
        }}
      />
      <Tags chosen={search.tags ?? []} onChange={onChange} />
      <Named search={search} onChange={onChange} />
      <Pressed
        title="★ Favorites"
        isPressed={search.favorite ?? false}
        onPress={(favorite) => {
          onChange({ favorite });
        }}
      />
      <Pressed
        title="Asks people"
        isPressed={search.asks ?? false}
        onPress={(asks) => {
          onChange({ asks });
        }}
      />
      <Chips search={search} onChange={onChange} />
      <Manner sort={search.sort} view={view} onChange={onChange} onView={onView} />
    </div>
  );
}

interface PressedProps {
  title: string;
  isPressed: boolean;
  onPress: (isPressed: true | undefined) => void;
}

function Pressed({ title, isPressed, onPress }: PressedProps) {
  return (
    <button
      type="button"
      className={styles.toggle}
      aria-pressed={isPressed}
      onClick={() => {
        onPress(isPressed ? undefined : true);
      }}
    >
      {title}
    </button>
  );
}

/** Of the last run, or of any. */
function RunStates({ search: { state, anyRun }, onChange }: Props) {
  return (
    <select
      aria-label="State of runs"
      value={state ? `last ${state}` : anyRun ? `any ${anyRun}` : ""}
      onChange={({ target: { value } }) => {
        onChange({
          state: runStates.find((each) => value === `last ${each}`),
          anyRun: anyRuns.find((each) => value === `any ${each}`),
        });
      }}
    >
      <option value="">Any state</option>
      <optgroup label="The last run">
        {runStates.map((each) => (
          <option key={each} value={`last ${each}`}>
            Last run {stateName(each)}
          </option>
        ))}
      </optgroup>
      <optgroup label="Any run">
        {anyRuns.map((each) => (
          <option key={each} value={`any ${each}`}>
            {each === "failed" ? "Any failed in 24 h" : `Any run ${stateName(each)}`}
          </option>
        ))}
      </optgroup>
    </select>
  );
}

/** Whose they are, and where they come from. */
function Named({ search: { owner, bundle }, onChange }: Props) {
  const { data } = useQuery(dagChoicesQuery);
  const choices = (all: string, names: readonly string[], chosen: string | undefined) => ({
    "": all,
    ...Object.fromEntries([...new Set([...names, ...(chosen ? [chosen] : [])])].map((name) => [name, name])),
  });
  return (
    <>
      <Choice
        label="Owner"
        value={owner ?? ""}
        choices={choices("Any owner", data?.owners ?? [], owner)}
        onChange={(value) => {
          onChange({ owner: value || undefined });
        }}
      />
      <Choice
        label="Bundle"
        value={bundle ?? ""}
        choices={choices("Any bundle", data?.bundles ?? [], bundle)}
        onChange={(value) => {
          onChange({ bundle: value || undefined });
        }}
      />
    </>
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

function Chips({ search: { tags = [], anyTag }, onChange }: Props) {
  return (
    <>
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
