import "@xyflow/react/dist/base.css";

import { useQuery } from "@tanstack/react-query";
import { Background, Controls, ReactFlow, type ReactFlowInstance } from "@xyflow/react";
import { type ReactNode, useEffect, useMemo, useRef, useState } from "react";

import { graphQuery } from "~/api/queries";
import { Failed } from "~/components/Failed";
import { Notice } from "~/components/Notice";
import type { Direction } from "~/lib/settings";

import { BoxNode } from "./BoxNode";
import { paintOf, savePng, saveSvg } from "./download";
import { countFilters, type GraphFilter, graphOf, type Looked, narrowed } from "./filter.model";
import { flowEdges, flowNodes } from "./flow.model";
import { groupsAround, isVast, matching, type Node } from "./graph.model";
import styles from "./Graph.module.css";
import { GraphTools } from "./GraphTools";
import { pictureOf } from "./image.model";
import { mostForEngine } from "./layout";
import { usePlaced } from "./usePlaced";

interface Props {
  dagId: string;
  /** Which of its versions; undefined: the current one. */
  version: number | undefined;
  /** Of the chosen run, by task or group. */
  states: ReadonlyMap<string, string>;
  /** How many copies mapped tasks have in it. */
  copies: ReadonlyMap<string, number>;
  /** How long tasks took in it, in seconds. */
  took: ReadonlyMap<string, number>;
  selected: string | undefined;
  filter: GraphFilter;
  direction: Direction;
  /** Whether assets and DAGs around it are shown. */
  hasOutside: boolean;
  onSelect: (task: string) => void;
  onFilter: (filter: GraphFilter) => void;
  onDirection: (direction: Direction) => void;
  onOutside: (hasOutside: boolean) => void;
  /** Somebody wants to see an asset or another DAG. */
  onLeave: (kind: NonNullable<Node["kind"]>, target: string) => void;
  /** What else it can be told, such as the run. */
  children?: ReactNode;
  /** And what is needed less often. */
  more?: ReactNode;
}

const kinds = { box: BoxNode };
const nothing = { rows: [], edges: [] };

/** What depends on what, with the states of a run. A click on a group folds it. */
export default function Graph(props: Props) {
  const { dagId, version, states, copies, selected, filter, direction, hasOutside, onSelect } = props;
  const { data, error } = useQuery(graphQuery(dagId, version));
  const [opened, setOpened] = useState<{ folded: ReadonlySet<string> }>();
  const [search, setSearch] = useState("");
  const [flow, setFlow] = useState<ReactFlowInstance>();
  const [problem, setProblem] = useState<Error>();
  const page = useRef<HTMLDivElement>(null);
  const graph = useMemo(() => (data === undefined ? nothing : graphOf(data, hasOutside)), [data, hasOutside]);
  const { rows } = graph;
  // Large graphs begin with their groups folded: who looks at thousands of boxes sees none of them.
  const groups = rows.length > mostForEngine ? rows.filter((row) => row.is_group).map((row) => row.node_id) : [];
  const folded = opened?.folded ?? new Set(groups);
  const isNarrowed = countFilters(filter) > 0;
  // Without a filter, states make no difference; with one, boxes come and go with them.
  const part = useNarrowed(graph, filter, { states, took: props.took, copies, selected });
  const placed = usePlaced({ dagId, part, folded, direction, view: JSON.stringify([version, filter, hasOutside]) });
  const found = useMemo(() => matching(part.rows, search), [part, search]);
  const nodes = useMemo(
    () =>
      flowNodes(rows, placed?.boxes ?? [], {
        states,
        copies,
        selected,
        found: new Set(found),
        direction: placed?.direction ?? "right",
      }),
    [rows, placed, states, copies, selected, found],
  );
  const edges = useMemo(() => flowEdges(placed?.edges ?? [], part.edges, selected), [part, placed, selected]);
  const zoomTo = useZoom(flow, placed);

  const choose = (id: string) => {
    const row = rows.find(({ node_id }) => node_id === id);
    if (row?.kind !== undefined) {
      if (row.target != null) props.onLeave(row.kind, row.target);
    } else if (row?.is_group) setOpened({ folded: toggled(folded, id) });
    else onSelect(id);
  };
  const show = (id: string) => {
    const closed = groupsAround(rows, id).filter((group) => folded.has(group));
    if (closed.length > 0) setOpened({ folded: new Set([...folded].filter((each) => !closed.includes(each))) });
    zoomTo(id);
  };
  const save = (format: "png" | "svg") => {
    if (page.current === null) return;
    const picture = pictureOf(nodes, edges, placed?.direction ?? direction, paintOf(page.current));
    setProblem(undefined);
    if (format === "svg") saveSvg(picture, dagId);
    else savePng(picture, dagId).catch(setProblem);
  };
  if (error) return <Failed title="The graph could not be loaded" error={error} />;
  return (
    <>
      <GraphTools
        search={search}
        found={found}
        filter={filter}
        rows={rows}
        counts={{ shown: countTasks(part.rows), all: countTasks(rows) }}
        direction={direction}
        hasOutside={hasOutside}
        isChosen={selected !== undefined}
        more={props.more}
        onSearch={setSearch}
        onFilter={props.onFilter}
        onDirection={props.onDirection}
        onOutside={props.onOutside}
        onFind={(id) => {
          show(id);
          onSelect(id);
        }}
        onZoom={() => {
          if (selected !== undefined) show(selected);
        }}
        onSave={save}
      >
        {props.children}
      </GraphTools>
      {problem && <p role="alert">{problem.message}</p>}
      <div
        ref={page}
        className={styles.graph}
        role="region"
        aria-label="Graph"
        aria-busy={data === undefined || (placed === undefined && part.rows.length > 0)}
        onKeyDown={(event) => {
          const id = (event.target as HTMLElement).closest<HTMLElement>(".react-flow__node")?.dataset.id;
          if ((event.key !== "Enter" && event.key !== " ") || id === undefined) return;
          event.preventDefault();
          choose(id);
        }}
      >
        {isNarrowed && data && <NothingFits rows={part.rows} />}
        {placed && placed.boxes.length > 0 && (
          <Drawing
            key={placed.view}
            nodes={nodes}
            edges={edges}
            isLarge={isVast(placed.boxes)}
            selected={selected}
            onInit={setFlow}
            onChoose={choose}
          />
        )}
      </div>
    </>
  );
}

function NothingFits({ rows }: { rows: Node[] }) {
  if (rows.length > 0) return null;
  return (
    <Notice title="No task fits the filters">
      <p>Take one of them back, or show all.</p>
    </Notice>
  );
}

interface DrawingProps {
  nodes: ReturnType<typeof flowNodes>;
  edges: ReturnType<typeof flowEdges>;
  /** Too large to be read as a whole. */
  isLarge: boolean;
  selected: string | undefined;
  onInit: (flow: ReactFlowInstance) => void;
  onChoose: (id: string) => void;
}

/** All that is in sight of it. */
function Drawing({ nodes, edges, isLarge, selected, onInit, onChoose }: DrawingProps) {
  return (
    <ReactFlow
      nodes={nodes}
      edges={edges}
      nodeTypes={kinds}
      fitView
      fitViewOptions={isLarge ? { minZoom: 0.5, maxZoom: 1, nodes: firstSeen(nodes, selected) } : { maxZoom: 1 }}
      minZoom={isLarge ? 0.25 : 0.05}
      onlyRenderVisibleElements
      nodesDraggable={false}
      nodesConnectable={false}
      deleteKeyCode={null}
      proOptions={{ hideAttribution: true }}
      onInit={(instance) => {
        onInit(instance as unknown as ReactFlowInstance);
      }}
      onNodeClick={(_, { id }) => {
        onChoose(id);
      }}
    >
      <Background />
      <Controls showInteractive={false} />
    </ReactFlow>
  );
}

const nobody: ReadonlyMap<string, never> = new Map<string, never>();

/** What is left of it. It stays the same for as long as nothing that it depends on has changed. */
function useNarrowed(graph: ReturnType<typeof graphOf>, filter: GraphFilter, run: Looked) {
  const { q, state, operator, group, took, copy, around, depth } = filter;
  const states = state ? run.states : nobody;
  const durations = took === undefined ? nobody : run.took;
  const copies = copy === undefined ? nobody : run.copies;
  const selected = around === undefined ? undefined : run.selected;
  return useMemo(
    () =>
      narrowed(
        graph,
        { q, state, operator, group, took, copy, around, depth },
        { states, took: durations, copies, selected },
      ),
    [graph, q, state, operator, group, took, copy, around, depth, states, durations, copies, selected],
  );
}

/** A way to bring a task into sight. One in a group that was folded is there after the next layout. */
function useZoom(flow: ReactFlowInstance | undefined, placed: ReturnType<typeof usePlaced>): (id: string) => void {
  const [sought, setSought] = useState<{ id: string }>();
  const done = useRef<object>(undefined);
  useEffect(() => {
    if (sought === undefined || done.current === sought || !placed?.boxes.some(({ id }) => id === sought.id)) return;
    done.current = sought;
    void flow?.fitView({ nodes: [{ id: sought.id }], minZoom: 0.6, maxZoom: 1 });
  }, [placed, flow, sought]);
  return (id) => {
    setSought({ id });
  };
}

/** Of a graph that is too large to be read as a whole: the chosen task, or where it begins. */
function firstSeen(nodes: { id: string }[], selected: string | undefined): { id: string }[] {
  const chosen = nodes.filter(({ id }) => id === selected);
  return chosen.length > 0 ? chosen : nodes.slice(0, 6);
}

function countTasks(rows: Node[]): number {
  return rows.filter(({ is_group, kind }) => !is_group && kind === undefined).length;
}

function toggled(set: ReadonlySet<string>, each: string): ReadonlySet<string> {
  return set.has(each) ? new Set([...set].filter((other) => other !== each)) : new Set([...set, each]);
}
