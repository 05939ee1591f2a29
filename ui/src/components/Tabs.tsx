import { type KeyboardEvent, type ReactNode, useRef } from "react";

import { Scrolled } from "./Scrolled";
import styles from "./Tabs.module.css";

interface Props<Name extends string> {
  label: string;
  tabs: readonly (readonly [Name, ReactNode])[];
  chosen: Name;
  onChoose: (name: Name) => void;
}

/** A tab that somebody else brings. */
export interface MoreTab {
  name: string;
  title: ReactNode;
  content: ReactNode;
}

/** One of several views. Arrows go from one to the next. */
export function Tabs<Name extends string>({ label, tabs, chosen, onChoose }: Props<Name>) {
  const list = useRef<HTMLDivElement>(null);
  const move = (event: KeyboardEvent) => {
    const names = tabs.map(([name]) => name);
    const next = target(event.key, names.indexOf(chosen), names.length);
    const name = next === undefined ? undefined : names[next];
    if (name === undefined || next === undefined) return;
    event.preventDefault();
    onChoose(name);
    list.current?.querySelectorAll<HTMLElement>('[role="tab"]')[next]?.focus();
  };
  return (
    <Scrolled chosen={chosen}>
      <div ref={list} className={styles.tabs} role="tablist" aria-label={label} onKeyDown={move}>
        {tabs.map(([name, title]) => (
          <button
            key={name}
            type="button"
            role="tab"
            aria-selected={name === chosen}
            tabIndex={name === chosen ? 0 : -1}
            onClick={() => {
              onChoose(name);
            }}
          >
            {title}
          </button>
        ))}
      </div>
    </Scrolled>
  );
}

function target(key: string, at: number, count: number): number | undefined {
  if (key === "ArrowRight") return (at + 1) % count;
  if (key === "ArrowLeft") return (at + count - 1) % count;
  if (key === "Home") return 0;
  return key === "End" ? count - 1 : undefined;
}

interface MoreProps<Name extends string> extends Omit<Props<Name>, "onChoose"> {
  /** What the address names. */
  wanted: string | undefined;
  more: readonly MoreTab[] | undefined;
  onChoose: (name: string) => void;
  /** What the chosen one of ours shows. */
  children: ReactNode;
}

/** Tabs with their content, of which others have brought some. */
export function TabsAndMore<Name extends string>({ wanted, more = [], children, ...ours }: MoreProps<Name>) {
  const other = more.find(({ name }) => name === wanted);
  return (
    <>
      <Tabs
        {...ours}
        tabs={[...ours.tabs, ...more.map(({ name, title }) => [name, title] as const)]}
        chosen={other?.name ?? ours.chosen}
      />
      {other ? other.content : children}
    </>
  );
}
