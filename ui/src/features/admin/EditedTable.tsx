import { type QueryKey, useMutation, useQueryClient } from "@tanstack/react-query";
import { type ReactNode, useState } from "react";

import { type Resource, useMay } from "~/api/permissions";
import { Button } from "~/components/Button";
import { Can } from "~/components/Can";
import { Page } from "~/components/Page";
import { type Column, PagedTable } from "~/components/PagedTable";
import { SearchField } from "~/components/SearchField";

import styles from "./EditedTable.module.css";

/** What a dialog needs that adds or changes one of them. */
export interface DialogProps<Row> {
  /** Undefined: a new one. */
  row: Row | undefined;
  onSaved: () => Promise<unknown>;
  onClose: () => void;
}

/** Things that people add, change and delete. */
export interface Edited<Row> {
  title: string;
  /** One of them, as in "Add a pool". */
  one: string;
  resource: Resource;
  queryKey: QueryKey;
  /** `pattern`: what their names match, as `%sales%`; empty if nothing is searched. */
  load: (offset: number, limit: number, pattern: string) => Promise<{ rows: Row[]; total: number }>;
  isSearchable?: boolean;
  columns: Column<Row>[];
  nameOf: (row: Row) => string;
  dialog: (props: DialogProps<Row>) => ReactNode;
  remove: (name: string) => Promise<unknown>;
  /** Beside "Edit": what else can be done to one. */
  deeds?: (row: Row, refresh: () => Promise<unknown>) => ReactNode;
  actions?: ReactNode;
  empty: string;
}

/** A page of them. Whoever may not change them sees the table alone. */
export function EditedTable<Row>(edited: Edited<Row>) {
  const client = useQueryClient();
  const [open, setOpen] = useState<{ row: Row | undefined }>();
  const [text, setText] = useState("");
  const isEditor = useMay()("edit", edited.resource).isAllowed;
  const refresh = () => client.invalidateQueries({ queryKey: edited.queryKey });
  const removal = useMutation({ mutationFn: edited.remove, onSettled: refresh });
  const deeds: Column<Row> = {
    title: "",
    cell: (row) => (
      <Deeds
        name={edited.nameOf(row)}
        onEdit={() => {
          setOpen({ row });
        }}
        onRemove={() => {
          removal.mutate(edited.nameOf(row));
        }}
      >
        {edited.deeds?.(row, refresh)}
      </Deeds>
    ),
  };
  return (
    <Page
      title={edited.title}
      actions={
        <>
          {edited.isSearchable && (
            <SearchField label={`Search ${edited.title.toLowerCase()}`} value={text} onChange={setText} />
          )}
          <Can action="edit" resource={edited.resource}>
            {edited.actions}
            <Button
              kind="deed"
              onClick={() => {
                setOpen({ row: undefined });
              }}
            >
              Add a {edited.one}
            </Button>
          </Can>
        </>
      }
    >
      {removal.error && <p role="alert">{removal.error.message}</p>}
      <PagedTable
        // The first page of what is searched, not the third of it.
        key={text}
        label={edited.title}
        queryKey={text ? [...edited.queryKey, text] : edited.queryKey}
        load={(offset, limit) => edited.load(offset, limit, text ? `%${text}%` : "")}
        rowKey={edited.nameOf}
        empty={<p>{text ? "Nothing has such a name." : edited.empty}</p>}
        columns={isEditor ? [...edited.columns, deeds] : edited.columns}
      />
      {open &&
        edited.dialog({
          row: open.row,
          onSaved: refresh,
          onClose: () => {
            setOpen(undefined);
          },
        })}
    </Page>
  );
}

interface DeedsProps {
  name: string;
  onEdit: () => void;
  onRemove: () => void;
  children?: ReactNode;
}

/** Deleting asks once more, in the same place. */
function Deeds({ name, onEdit, onRemove, children }: DeedsProps) {
  const [isSure, setSure] = useState(false);
  return (
    <span className={styles.deeds}>
      {children}
      <Button aria-label={`Change ${name}`} onClick={onEdit}>
        Change
      </Button>
      <Button
        kind={isSure ? "danger" : "plain"}
        aria-label={isSure ? `Really delete ${name}` : `Delete ${name}`}
        onBlur={() => {
          setSure(false);
        }}
        onClick={
          isSure
            ? onRemove
            : () => {
                setSure(true);
              }
        }
      >
        {isSure ? "Really delete" : "Delete"}
      </Button>
    </span>
  );
}
