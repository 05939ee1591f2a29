/** What is chosen is where one can see it, also in a list that is longer than its place. */
import { type RefObject, useEffect, useRef } from "react";

/** For the element that scrolls; whenever `what` is another one, what fits the selector is brought into sight. */
export function useInSight<Box extends HTMLElement>(selector: string, what: unknown): RefObject<Box | null> {
  const box = useRef<Box>(null);
  useEffect(() => {
    box.current?.querySelector(selector)?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }, [selector, what]);
  return box;
}
