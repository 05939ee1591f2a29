import { memo } from "react";

import { useSettings } from "~/lib/settings";
import { inZone } from "~/lib/zoned";

import styles from "./Log.module.css";
import type { Times } from "./LogBar";
import { type Piece, pieces } from "./pieces.model";
import type { Row } from "./store.model";

interface Props {
  row: Row;
  searched: string;
  times: Times;
  isSourced: boolean;
  isCurrent: boolean;
  isOpen: boolean;
  onToggle: (group: number) => void;
}

/** One line. */
export const LogRow = memo(function LogRow({ row, searched, times, isSourced, isCurrent, isOpen, onToggle }: Props) {
  const isGroup = row.group === row.number;
  const drawn = pieces(row.text, searched).map((piece, position) => <Drawn key={position} piece={piece} />);
  return (
    <li className={styles.row} data-level={row.level} data-current={isCurrent} aria-current={isCurrent || undefined}>
      {times !== "none" && <Time at={row.at} times={times} />}
      {isSourced && (
        <span className={styles.source} title={row.source || undefined}>
          {row.source}
        </span>
      )}
      <span data-text className={styles.text} title={row.source || undefined}>
        {isGroup ? (
          <button
            type="button"
            aria-expanded={isOpen}
            onClick={() => {
              onToggle(row.number);
            }}
          >
            {isOpen ? "▾" : "▸"} {drawn}
          </button>
        ) : (
          drawn
        )}
      </span>
    </li>
  );
}, isSame);

/** Rows are made anew for every look at them. */
function isSame(before: Props, after: Props): boolean {
  return (
    before.row.number === after.row.number &&
    before.row.text === after.row.text &&
    before.searched === after.searched &&
    before.times === after.times &&
    before.isSourced === after.isSourced &&
    before.isCurrent === after.isCurrent &&
    before.isOpen === after.isOpen &&
    before.onToggle === after.onToggle
  );
}

function Time({ at, times }: { at: number; times: Times }) {
  const { zone } = useSettings();
  if (Number.isNaN(at)) return <span className={styles.time} />;
  const text = new Date(at).toISOString();
  const local = inZone(text, zone);
  const shown = times === "time" ? local.slice(11) : local.replace("T", " ");
  return (
    <time className={styles.time} dateTime={text} title={`${local.replace("T", " ")} ${zone}`}>
      {shown}
      {times === "full" && `.${text.slice(20, 23)}`}
    </time>
  );
}

const named = /^[a-z-]+$/;

function Drawn({ piece }: { piece: Piece }) {
  const { look, href, isFound, text } = piece;
  const isPlain = Object.keys(look).length === 0;
  const content = isFound ? <mark>{text}</mark> : text;
  const linked =
    href === undefined ? (
      content
    ) : (
      <a href={href} target="_blank" rel="noreferrer noopener">
        {content}
      </a>
    );
  if (isPlain) return linked;
  return (
    <span
      className={styles.look}
      data-ink={look.ink !== undefined && named.test(look.ink) ? look.ink : undefined}
      data-ground={look.ground !== undefined && named.test(look.ground) ? look.ground : undefined}
      data-bold={look.isBold}
      data-faint={look.isFaint}
      data-italic={look.isItalic}
      data-underlined={look.isUnderlined}
      style={{
        ...(look.ink !== undefined && !named.test(look.ink) && { color: look.ink }),
        ...(look.ground !== undefined && !named.test(look.ground) && { backgroundColor: look.ground }),
      }}
    >
      {linked}
    </span>
  );
}
