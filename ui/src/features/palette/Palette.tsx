import { useEffect, useId, useRef, useState } from "react";

import type { Command } from "./palette.model";
import styles from "./Palette.module.css";

interface Props {
  query: string;
  commands: readonly Command[];
  isSearching: boolean;
  onQuery: (query: string) => void;
  onClose: () => void;
}

/** Everything by its name. Arrows go through what is found, Enter takes one, Escape closes. */
export function Palette({ query, commands, isSearching, onQuery, onClose }: Props) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [marked, setMarked] = useState(0);
  const id = useId();
  useEffect(() => {
    dialog.current?.showModal();
  }, []);
  const position = Math.min(marked, commands.length - 1);
  const take = (command: Command | undefined) => {
    if (command === undefined) return;
    onClose();
    command.run();
  };
  return (
    <dialog
      ref={dialog}
      className={styles.palette}
      aria-label="Search and commands"
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) onClose();
      }}
    >
      <input
        type="text"
        role="combobox"
        aria-label="Search"
        aria-expanded="true"
        aria-controls={`${id}-found`}
        aria-activedescendant={commands[position] ? `${id}-${position}` : undefined}
        placeholder="DAGs, runs, tasks, pages, actions"
        autoFocus
        value={query}
        onChange={({ target }) => {
          onQuery(target.value);
          setMarked(0);
        }}
        onKeyDown={(event) => {
          if (event.key === "ArrowDown") setMarked(Math.min(commands.length - 1, position + 1));
          else if (event.key === "ArrowUp") setMarked(Math.max(0, position - 1));
          else if (event.key === "Enter") take(commands[position]);
          else return;
          event.preventDefault();
        }}
      />
      <ul id={`${id}-found`} role="listbox" aria-label="Found" aria-busy={isSearching}>
        {commands.map((command, number) => (
          <li
            key={command.id}
            id={`${id}-${number}`}
            role="option"
            aria-selected={number === position}
            ref={(element) => {
              if (number === position) element?.scrollIntoView({ block: "nearest" });
            }}
            onClick={() => {
              take(command);
            }}
          >
            <span className={styles.title}>{command.title}</span>
            {command.detail && <span className={styles.detail}>{command.detail}</span>}
            <small>{command.kind}</small>
          </li>
        ))}
      </ul>
      {commands.length === 0 && (
        <p role="status">
          {isSearching ? "Searching…" : "Nothing has this name. Runs are found by how their id begins."}
        </p>
      )}
    </dialog>
  );
}
