import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { json } from "@codemirror/lang-json";
import { bracketMatching, HighlightStyle, indentOnInput, syntaxHighlighting } from "@codemirror/language";
import { Annotation, EditorState } from "@codemirror/state";
import { EditorView, keymap, lineNumbers } from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { useEffect, useRef } from "react";

import styles from "./JsonEditor.module.css";

interface Props {
  label: string;
  text: string;
  isReadOnly?: boolean;
  onChange: (text: string) => void;
}

const look = EditorView.theme({
  "&": { backgroundColor: "var(--ground)", color: "var(--ink)", fontSize: "0.875rem", height: "100%" },
  "&.cm-focused": { outline: "2px solid var(--focus)", outlineOffset: "-1px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.5" },
  ".cm-content": { caretColor: "var(--ink)", padding: "0.5rem 0" },
  ".cm-gutters": { backgroundColor: "var(--raised)", color: "var(--faint)", border: "none" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
});
const colours = HighlightStyle.define([
  { tag: tags.propertyName, color: "var(--deed)" },
  { tag: tags.string, color: "var(--success)" },
  { tag: [tags.number, tags.bool, tags.null], color: "var(--awaiting_input)" },
]);

/** A change that is not the person's who types. */
const fromOutside = Annotation.define<boolean>();

/** JSON with colours and matching brackets. Loaded when it is needed: see `LazyJsonEditor`. */
export default function JsonEditor({ label, text, isReadOnly = false, onChange }: Props) {
  const host = useRef<HTMLDivElement>(null);
  const view = useRef<EditorView>(null);
  const told = useRef(onChange);
  // What was typed and has not come back as `text` yet. It comes back late where much is rendered, and must then not
  // take the place of what was typed since.
  const underway = useRef<string[]>([]);
  useEffect(() => {
    told.current = onChange;
  }, [onChange]);
  useEffect(() => {
    if (host.current === null) return;
    // The policy of the pages allows no styles that are written into them. In a root of its own, the editor has sheets.
    const root = host.current.shadowRoot ?? host.current.attachShadow({ mode: "open" });
    const made = new EditorView({
      root,
      parent: root,
      state: EditorState.create({
        extensions: [
          lineNumbers(),
          history(),
          json(),
          bracketMatching(),
          indentOnInput(),
          syntaxHighlighting(colours),
          look,
          EditorView.lineWrapping,
          EditorState.readOnly.of(isReadOnly),
          EditorView.contentAttributes.of({ "aria-label": label, tabindex: "0" }),
          keymap.of([...defaultKeymap, ...historyKeymap]),
          EditorView.updateListener.of((update) => {
            if (!update.docChanged || update.transactions.some((each) => each.annotation(fromOutside))) return;
            const typed = update.state.doc.toString();
            underway.current.push(typed);
            told.current(typed);
          }),
        ],
      }),
    });
    view.current = made;
    return () => {
      made.destroy();
      view.current = null;
    };
  }, [label, isReadOnly]);
  useEffect(() => {
    const shown = view.current?.state.doc;
    const returned = underway.current.lastIndexOf(text);
    underway.current = returned === -1 ? [] : underway.current.slice(returned + 1);
    if (shown === undefined || returned !== -1 || shown.toString() === text) return;
    const changes = { from: 0, to: shown.length, insert: text };
    view.current?.dispatch({ changes, annotations: fromOutside.of(true) });
  }, [text, label, isReadOnly]);
  return <div ref={host} className={styles.editor} />;
}
