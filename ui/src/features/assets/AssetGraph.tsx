import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useMemo, useState } from "react";

import { assetGraphQuery } from "~/api/around";
import { Failed } from "~/components/Failed";
import { Notice } from "~/components/Notice";

import styles from "./AssetGraph.module.css";
import { around, box, layOut, type Node } from "./graph.model";

/** Assets and DAGs that are connected, from left to right. Pointing at one shows what it is connected with. */
export function AssetGraph({ assetId }: { assetId?: number }) {
  const { data, error } = useQuery(assetGraphQuery(assetId));
  const [pointed, setPointed] = useState<string>();
  const graph = useMemo(() => data && layOut(data.assets, data.uses), [data]);
  if (error) return <Failed title="The graph could not be loaded" error={error} />;
  if (graph === undefined) return <div className={styles.frame} aria-busy="true" />;
  if (graph.nodes.length === 0)
    return (
      <Notice title="No DAG names an asset">
        <p>Name one as an outlet of a task, or as the schedule of a DAG.</p>
      </Notice>
    );
  const near = pointed === undefined ? undefined : around(pointed, graph.edges);
  const isFaint = (key: string) => near !== undefined && key !== pointed && !near.has(key);
  return (
    <div className={styles.frame} tabIndex={0} role="group" aria-label="Graph of assets and DAGs">
      <div className={styles.graph} style={{ width: graph.width, height: graph.height }}>
        <svg width={graph.width} height={graph.height} aria-hidden="true">
          {graph.edges.map(({ key, from, to, role, path }) => {
            const isNear = pointed === undefined || from === pointed || to === pointed;
            return <path key={key} d={path} data-role={role} data-faint={!isNear} />;
          })}
        </svg>
        {graph.nodes.map((node) => (
          <div
            key={node.key}
            className={styles.box}
            data-kind={node.kind}
            data-faint={isFaint(node.key)}
            data-chosen={node.kind === "asset" && node.id === String(assetId)}
            style={{ left: node.x, top: node.y, width: box.width, height: box.height }}
            onPointerEnter={() => {
              setPointed(node.key);
            }}
            onPointerLeave={() => {
              setPointed(undefined);
            }}
          >
            <Name node={node} />
          </div>
        ))}
      </div>
    </div>
  );
}

function Name({ node: { kind, id, title } }: { node: Node }) {
  return kind === "dag" ? (
    <Link to="/dags/$dagId" params={{ dagId: id }} title={`DAG ${title}`}>
      {title}
    </Link>
  ) : (
    <Link to="/assets/$assetId" params={{ assetId: id }} title={`Asset ${title}`}>
      {title}
    </Link>
  );
}
