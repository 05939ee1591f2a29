import "@xyflow/react/dist/base.css";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { Background, Controls, ReactFlow, type ReactFlowInstance } from "@xyflow/react";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";

import { graphQuery } from "~/api/queries";
import { Failed } from "~/components/Failed";

import { BoxNode } from "./BoxNode";
import { flowEdges, flowNodes } from "./flow.model";
import { type Around, type Direction, groupsAround, isVast, matching, related, wantedLayout } from "./graph.model";
import styles from "./Graph.module.css";
import { GraphTools } from "./GraphTools";
import { layOut, mostForEngine } from "./layout";

interface Props {
  dagId: string;
  /** Of the chosen run, by task or group. */
  states: ReadonlyMap<string, string>;
  /** How many copies mapped tasks have in it. */
  copies: ReadonlyMap<string, number>;
  selected: string | undefined;
  around: Around | undefined;
  onSelect: (task: string) => void;
  onAround: (around: Around | undefined) => void;
  /** What else it can be told, such as the run. */
  children?: ReactNode;
}

const kinds = { box: BoxNode };

/** What depends on what, with the states of a run. A click on a group folds it. */
export default function Graph({ dagId, states, copies, selected, around, onSelect, onAround, children }: Props) {
  const { data, error } = useQuery(graphQuery(dagId));
  const [opened, setOpened] = useState<{ folded: ReadonlySet<string> }>();
  const [direction, setDirection] = useState<Direction>("RIGHT");
  const [search, setSearch] = useState("");
  const [flow, setFlow] = useState<ReactFlowInstance>();
  const rows = useMemo(() => data?.rows ?? [], [data]);
  // Large graphs begin with their groups folded: who looks at thousands of boxes sees none of them.
  const groups = rows.length > mostForEngine ? rows.filter((row) => row.is_group).map((row) => row.node_id) : [];
  const folded = opened?.folded ?? new Set(groups);
  const part = useMemo(() => partOf(data, selected, around), [data, selected, around]);
  const { data: placed } = useQuery({
    queryKey: ["layout", dagId, part, [...folded], direction],
    queryFn: async () => {
      const wanted = wantedLayout(part.rows, part.edges, folded, direction);
      return { boxes: await layOut(wanted, direction), edges: wanted.edges, direction };
    },
    enabled: data !== undefined,
    staleTime: Infinity,
    placeholderData: keepPreviousData,
  });
  const found = useMemo(() => matching(part.rows, search), [part, search]);
  const nodes = useMemo(
    () =>
      flowNodes(rows, placed?.boxes ?? [], {
        states,
        copies,
        selected,
        found: new Set(found),
        direction: placed?.direction ?? "RIGHT",
      }),
    [rows, placed, states, copies, selected, found],
  );
  const edges = useMemo(() => flowEdges(placed?.edges ?? [], part.edges, selected), [part, placed, selected]);
  const isLarge = useMemo(() => isVast(placed?.boxes ?? []), [placed]);
  const sought = useRef<string>(undefined);
  // A task in a group that was folded is there after the next layout.
  useEffect(() => {
    const id = sought.current;
    if (id === undefined || !placed?.boxes.some((box) => box.id === id)) return;
    sought.current = undefined;
    void flow?.fitView({ nodes: [{ id }], minZoom: 0.6, maxZoom: 1 });
  }, [placed, flow, selected]);

  const choose = (id: string) => {
    if (rows.some((row) => row.node_id === id && row.is_group)) setOpened({ folded: toggled(folded, id) });
    else onSelect(id);
  };
  if (error) return <Failed title="The graph could not be loaded" error={error} />;
  return (
    <>
      <GraphTools
        search={search}
        found={found}
        direction={direction}
        around={around}
        isChosen={selected !== undefined}
        onSearch={setSearch}
        onDirection={setDirection}
        onAround={onAround}
        onFind={(id) => {
          const closed = groupsAround(rows, id).filter((group) => folded.has(group));
          if (closed.length > 0) setOpened({ folded: new Set([...folded].filter((each) => !closed.includes(each))) });
          sought.current = id;
          onSelect(id);
        }}
      >
        {children}
      </GraphTools>
      <div
        className={styles.graph}
        role="region"
        aria-label="Graph"
        aria-busy={placed === undefined}
        onKeyDown={({ key, target }) => {
          const id = (target as HTMLElement).closest<HTMLElement>(".react-flow__node")?.dataset.id;
          if (key === "Enter" && id !== undefined) choose(id);
        }}
      >
        {placed && (
          <ReactFlow
            key={`${direction} ${around ?? ""} ${around === undefined ? "" : (selected ?? "")}`}
            nodes={nodes}
            edges={edges}
            nodeTypes={kinds}
            fitView
            fitViewOptions={isLarge ? { minZoom: 0.5, maxZoom: 1, nodes: nodes.slice(0, 6) } : { maxZoom: 1 }}
            minZoom={isLarge ? 0.25 : 0.05}
            onlyRenderVisibleElements
            nodesDraggable={false}
            nodesConnectable={false}
            deleteKeyCode={null}
            proOptions={{ hideAttribution: true }}
            onInit={(instance) => {
              setFlow(instance as unknown as ReactFlowInstance);
            }}
            onNodeClick={(_, { id }) => {
              choose(id);
            }}
          >
            <Background />
            <Controls showInteractive={false} />
          </ReactFlow>
        )}
      </div>
    </>
  );
}

interface Whole<Row, Line> {
  rows: Row[];
  edges: Line[];
}

/** All of it, or what is around the chosen task. */
function partOf<Row extends Parameters<typeof related>[0][number], Line extends Parameters<typeof related>[1][number]>(
  data: Whole<Row, Line> | undefined,
  selected: string | undefined,
  around: Around | undefined,
): Whole<Row, Line> {
  if (data === undefined) return { rows: [], edges: [] };
  if (around === undefined || selected === undefined) return data;
  const kept = related(data.rows, data.edges, selected, around);
  return {
    rows: data.rows.filter((row) => kept.has(row.node_id)),
    edges: data.edges.filter((edge) => kept.has(edge.source) && kept.has(edge.target)),
  };
}

function toggled(set: ReadonlySet<string>, each: string): ReadonlySet<string> {
  return set.has(each) ? new Set([...set].filter((other) => other !== each)) : new Set([...set, each]);
}
