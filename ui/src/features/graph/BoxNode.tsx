import { Handle, type Node, type NodeProps, Position } from "@xyflow/react";
import { memo } from "react";

import { stateName } from "~/lib/states";

import styles from "./Graph.module.css";

export interface Box extends Record<string, unknown> {
  label: string;
  state: string;
  isGroup: boolean;
  isMapped: boolean;
  /** How many copies a mapped task has; undefined where nobody knows yet. */
  copies: number | undefined;
  isOpen: boolean;
  isSelected: boolean;
  isFound: boolean;
  isDownwards: boolean;
}

/** A task, or a group of tasks. */
export const BoxNode = memo(function BoxNode({ data }: NodeProps<Node<Box>>) {
  return (
    <div
      className={styles.box}
      data-state={data.state}
      data-open={data.isOpen}
      data-selected={data.isSelected}
      data-found={data.isFound}
      title={`${data.label}: ${stateName(data.state)}`}
    >
      <Handle type="target" position={data.isDownwards ? Position.Top : Position.Left} isConnectable={false} />
      <span>
        {data.isGroup && (data.isOpen ? "▾ " : "▸ ")}
        {data.label}
        {data.isMapped && ` [${data.copies ?? " "}]`}
      </span>
      <Handle type="source" position={data.isDownwards ? Position.Bottom : Position.Right} isConnectable={false} />
    </div>
  );
});
