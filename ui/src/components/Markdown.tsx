import { Fragment, type ReactNode } from "react";

import { type Block, blocks, type Inline } from "~/lib/markdown";

import styles from "./Markdown.module.css";

/** What authors wrote. Whatever of it is HTML is shown as it was written. */
export function Markdown({ source }: { source: string }) {
  return (
    <div className={styles.markdown}>
      {blocks(source).map((block, number) => (
        <Fragment key={number}>{drawn(block)}</Fragment>
      ))}
    </div>
  );
}

function drawn(block: Block): ReactNode {
  switch (block.kind) {
    case "heading": {
      // Below the headings of the page.
      const Level = block.level === 1 ? "h3" : "h4";
      return <Level>{words(block.inner)}</Level>;
    }
    case "code":
      return (
        <pre tabIndex={0}>
          <code>{block.text}</code>
        </pre>
      );
    case "list": {
      const List = block.isOrdered ? "ol" : "ul";
      return (
        <List>
          {block.items.map((item, number) => (
            <li key={number}>{words(item)}</li>
          ))}
        </List>
      );
    }
    case "table":
      return <Table head={block.head} rows={block.rows} />;
    case "quote":
      return <blockquote>{words(block.inner)}</blockquote>;
    case "rule":
      return <hr />;
    case "paragraph":
      return <p>{words(block.inner)}</p>;
  }
}

function Table({ head, rows }: { head: Inline[][]; rows: Inline[][][] }) {
  return (
    <table>
      <thead>
        <tr>
          {head.map((cell, number) => (
            <th key={number} scope="col">
              {words(cell)}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.map((row, number) => (
          <tr key={number}>
            {row.map((cell, column) => (
              <td key={column}>{words(cell)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function words(inner: Inline[]): ReactNode {
  return inner.map((each, number) => <Fragment key={number}>{word(each)}</Fragment>);
}

function word(each: Inline): ReactNode {
  switch (each.kind) {
    case "text":
      return each.text;
    case "code":
      return <code>{each.text}</code>;
    case "strong":
      return <strong>{words(each.inner)}</strong>;
    case "emphasis":
      return <em>{words(each.inner)}</em>;
    case "link":
      return (
        <a href={each.address} rel="noreferrer noopener">
          {words(each.inner)}
        </a>
      );
  }
}
