import { python } from "@codemirror/lang-python";
import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import { MergeView } from "@codemirror/merge";
import { EditorState, type Extension } from "@codemirror/state";
import { drawSelection, EditorView, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef } from "react";

import styles from "./Code.module.css";

const look = EditorView.theme({
  "&": { backgroundColor: "var(--card)", color: "var(--ink)", fontSize: "0.8125rem", height: "100%" },
  "&.cm-focused": { outline: "2px solid var(--focus)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5" },
  ".cm-content": { padding: "0.5rem 0" },
  ".cm-gutters": { backgroundColor: "var(--card)", color: "var(--faint)", border: "none" },
  "&.cm-merge-a .cm-changedLine": { backgroundColor: "color-mix(in oklab, var(--failed) 14%, transparent)" },
  "&.cm-merge-b .cm-changedLine": { backgroundColor: "color-mix(in oklab, var(--success) 14%, transparent)" },
  "&.cm-merge-a .cm-changedText, &.cm-merge-a .cm-deletedChunk": {
    background: "color-mix(in oklab, var(--failed) 30%, transparent)",
  },
  "&.cm-merge-b .cm-changedText": { background: "color-mix(in oklab, var(--success) 30%, transparent)" },
  ".cm-collapsedLines": { background: "var(--raised)", color: "var(--faint)" },
});
const frame = EditorView.theme({ "&": { height: "100%" } });
const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.operatorKeyword, tags.controlKeyword], color: "var(--deferred)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--success)" },
  { tag: tags.comment, color: "var(--faint)", fontStyle: "italic" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--upstream_failed)" },
  {
    tag: [tags.function(tags.variableName), tags.function(tags.definition(tags.variableName))],
    color: "var(--running)",
  },
  { tag: [tags.className, tags.definition(tags.className)], color: "var(--up_for_reschedule)" },
  { tag: tags.meta, color: "var(--skipped)" },
]);

const reading = (label: string): Extension[] => [
  lineNumbers(),
  drawSelection(),
  python(),
  syntaxHighlighting(colours),
  look,
  EditorState.readOnly.of(true),
  EditorView.contentAttributes.of({ "aria-label": label, "aria-readonly": "true", tabindex: "0" }),
];

interface Props {
  text: string;
  label: string;
  /** Something older, beside which it is shown. */
  before?: { text: string; label: string } | undefined;
}

/** Python to be read, alone or beside what it was before. */
export default function CodeView({ text, label, before }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const beforeText = before?.text;
  const beforeLabel = before?.label ?? "";
  useEffect(() => {
    if (host.current === null) return;
    // The policy of the pages allows no styles that are written into them. In a root of its own, it has sheets.
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: "open" });
    const shown = { doc: text, extensions: reading(label) };
    const made =
      beforeText === undefined
        ? new EditorView({ root, parent: root, ...shown, extensions: [...shown.extensions, frame] })
        : new MergeView({
            root,
            parent: root,
            a: { doc: beforeText, extensions: reading(beforeLabel) },
            b: shown,
            gutter: true,
            highlightChanges: true,
            collapseUnchanged: { margin: 4, minSize: 8 },
          });
    return () => {
      made.destroy();
      root.replaceChildren();
    };
  }, [text, label, beforeText, beforeLabel]);
  return <div ref={host} className={styles.code} />;
}
