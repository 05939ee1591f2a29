import { keepPreviousData, type QueryKey, useQuery } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";

import { Button } from "./Button";
import { Failed } from "./Failed";
import { Notice } from "./Notice";
import styles from "./PagedTable.module.css";
import { Skeleton } from "./Skeleton";

export interface Column<Row> {
  title: string;
  cell: (row: Row) => ReactNode;
}

interface Props<Row> {
  label: string;
  queryKey: QueryKey;
  load: (offset: number, limit: number) => Promise<{ rows: Row[]; total: number }>;
  columns: Column<Row>[];
  rowKey: (row: Row) => string | number;
  /** What to do where there is nothing. */
  empty: ReactNode;
}

const pageSize = 50;

/** A table of which the server has more pages. */
export function PagedTable<Row>({ label, queryKey, load, columns, rowKey, empty }: Props<Row>) {
  const [offset, setOffset] = useState(0);
  const { data, error } = useQuery({
    queryKey: [...queryKey, offset],
    queryFn: () => load(offset, pageSize),
    placeholderData: keepPreviousData,
  });
  if (error) return <Failed title={`${label} could not be loaded`} error={error} />;
  if (data === undefined) return <Skeleton />;
  if (data.total === 0) return <Notice title={`No ${label.toLowerCase()}`}>{empty}</Notice>;
  return (
    <>
      <div className={styles.frame}>
        <table className={styles.table} aria-label={label}>
          <thead>
            <tr>
              {columns.map(({ title }) =>
                // A head without a word would be read aloud as one.
                title === "" ? (
                  <td key={title} />
                ) : (
                  <th key={title} scope="col">
                    {title}
                  </th>
                ),
              )}
            </tr>
          </thead>
          <tbody>
            {data.rows.map((row) => (
              <tr key={rowKey(row)}>
                {columns.map(({ title, cell }) => (
                  <td key={title} className={title === "" ? styles.deeds : undefined}>
                    {cell(row)}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {data.total > pageSize && (
        <p className={styles.pages}>
          <Button
            disabled={offset === 0}
            onClick={() => {
              setOffset(Math.max(0, offset - pageSize));
            }}
          >
            ← Before
          </Button>
          {offset + 1} to {Math.min(offset + pageSize, data.total)} of {data.total}
          <Button
            disabled={offset + pageSize >= data.total}
            onClick={() => {
              setOffset(offset + pageSize);
            }}
          >
            After →
          </Button>
        </p>
      )}
    </>
  );
}
