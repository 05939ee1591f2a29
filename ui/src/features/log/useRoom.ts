import { type RefObject, useLayoutEffect, useState } from "react";

export interface Room {
  height: number;
  /** How many characters of a line fit side by side. */
  columns: number;
}

/** How much of a log can be seen. */
export function useRoom(scroller: RefObject<HTMLDivElement | null>, times: string): Room {
  const [room, setRoom] = useState<Room>({ height: 400, columns: 100 });
  useLayoutEffect(() => {
    const element = scroller.current;
    if (element === null) return;
    const measure = () => {
      const { width } = characterOf(element);
      const text = element.querySelector<HTMLElement>("[data-text]");
      const available = text === null ? element.clientWidth - 160 : text.clientWidth;
      const columns = Math.max(20, Math.floor(available / width));
      const height = element.clientHeight;
      setRoom((before) => (before.height === height && before.columns === columns ? before : { height, columns }));
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => {
      observer.disconnect();
    };
  }, [scroller, times]);
  return room;
}

function characterOf(element: HTMLElement): { width: number } {
  const probe = document.createElement("span");
  probe.textContent = "0".repeat(100);
  probe.style.position = "absolute";
  probe.style.visibility = "hidden";
  element.append(probe);
  const width = probe.getBoundingClientRect().width / 100;
  probe.remove();
  return { width: width || 8 };
}
