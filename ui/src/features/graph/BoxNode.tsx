import { Handle, type Node, type NodeProps } from "@xyflow/react";
import { memo } from "react";

import type { Direction } from "~/lib/settings";

import { sides } from "./flow.model";
import styles from "./Graph.module.css";

export interface Box extends Record<string, unknown> {
  label: string;
  state: string;
  /** What it is, and its state. */
  words: string;
  /** That it is no task. */
  kind: "asset" | "alias" | "dag" | "schedule" | undefined;
  /** That it prepares or tidies up. */
  role: string | undefined;
  isGroup: boolean;
  isMapped: boolean;
  /** How many copies a mapped task has; undefined where nobody knows yet. */
  copies: number | undefined;
  isOpen: boolean;
  isSelected: boolean;
  isFound: boolean;
  direction: Direction;
}

/** What is written in a box. */
export function captionOf({ label, isGroup, isOpen, isMapped, copies }: Box): string {
  const sign = isGroup ? (isOpen ? "▾ " : "▸ ") : "";
  return `${sign}${label}${isMapped ? ` [${copies ?? " "}]` : ""}`;
}

/** What is written beside it, in small letters. */
export function markOf({ role, kind }: Box): string | undefined {
  return role ?? (kind === "asset" || kind === "alias" ? kind : kind === "dag" ? "DAG" : undefined);
}

/** A task, a group of tasks, or something that the DAG has to do with. */
export const BoxNode = memo(function BoxNode({ data }: NodeProps<Node<Box>>) {
  const mark = markOf(data);
  return (
    <div
      className={styles.box}
      data-state={data.kind === undefined ? data.state : undefined}
      data-kind={data.kind}
      data-open={data.isOpen}
      data-selected={data.isSelected}
      data-found={data.isFound}
      title={data.words}
    >
      <Handle type="target" position={sides[data.direction].target} isConnectable={false} />
      <span>{captionOf(data)}</span>
      {mark !== undefined && <small>{mark}</small>}
      <Handle type="source" position={sides[data.direction].source} isConnectable={false} />
    </div>
  );
});
