import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";

import styles from "./Scrolled.module.css";

interface Props {
  children: ReactNode;
  /** What is chosen, and of how many: it is brought into sight whenever that changes. */
  chosen: string | undefined;
}

/** More than fits in a line, such as tabs beside the grid: at an end behind which there is more, a button leads there. */
export function Scrolled({ children, chosen }: Props) {
  const frame = useRef<HTMLDivElement>(null);
  const [more, setMore] = useState({ before: false, behind: false });
  const look = useCallback(() => {
    const line = frame.current?.firstElementChild;
    if (line == null) return;
    const { scrollLeft, clientWidth, scrollWidth } = line;
    const next = { before: scrollLeft > 1, behind: scrollLeft + clientWidth < scrollWidth - 1 };
    setMore((known) => (known.before === next.before && known.behind === next.behind ? known : next));
  }, []);
  useEffect(() => {
    const line = frame.current?.firstElementChild;
    if (line == null) return undefined;
    const observer = new ResizeObserver(look);
    for (const each of [line, ...line.children]) observer.observe(each);
    line.addEventListener("scroll", look, { passive: true });
    return () => {
      observer.disconnect();
      line.removeEventListener("scroll", look);
    };
  }, [look]);
  useEffect(() => {
    const element = frame.current?.querySelector('[aria-selected="true"]');
    element?.scrollIntoView({ block: "nearest", inline: "nearest" });
    look();
  }, [chosen, look]);
  const scroll = (step: number) => {
    const line = frame.current?.firstElementChild;
    line?.scrollBy({ left: step * line.clientWidth * 0.7, behavior: isStill() ? "instant" : "smooth" });
  };
  return (
    <div ref={frame} className={styles.frame}>
      {children}
      {more.before && (
        <More
          sign="‹"
          title="Tabs before"
          side="before"
          onClick={() => {
            scroll(-1);
          }}
        />
      )}
      {more.behind && (
        <More
          sign="›"
          title="More tabs"
          side="behind"
          onClick={() => {
            scroll(1);
          }}
        />
      )}
    </div>
  );
}

/** Whether somebody wants nothing to move. */
function isStill(): boolean {
  return window.matchMedia("(prefers-reduced-motion: reduce)").matches;
}

interface MoreProps {
  sign: string;
  title: string;
  side: string;
  onClick: () => void;
}

/** For the pointer: keys lead to every tab, and bring it into sight. */
function More({ sign, title, side, onClick }: MoreProps) {
  return (
    <button
      type="button"
      className={styles.more}
      data-side={side}
      title={title}
      aria-hidden="true"
      tabIndex={-1}
      onClick={onClick}
    >
      {sign}
    </button>
  );
}
