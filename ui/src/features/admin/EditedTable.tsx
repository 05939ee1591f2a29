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
  /** All of them or none; where it is given, several can be chosen. */
  removeMany?: (names: string[]) => Promise<unknown>;
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
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const choice: Column<Row> = {
    title: "Chosen",
    cell: (row) => (
      <Choice
        name={edited.nameOf(row)}
        isChosen={chosen.has(edited.nameOf(row))}
        onChange={(name, isChosen) => {
          setChosen(new Set(isChosen ? [...chosen, name] : [...chosen].filter((each) => each !== name)));
        }}
      />
    ),
  };
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
      {edited.removeMany && chosen.size > 0 && (
        <Chosen
          names={[...chosen]}
          remove={edited.removeMany}
          refresh={refresh}
          onDone={() => {
            setChosen(new Set());
          }}
        />
      )}
      <PagedTable
        // The first page of what is searched, not the third of it.
        key={text}
        label={edited.title}
        queryKey={text ? [...edited.queryKey, text] : edited.queryKey}
        load={(offset, limit) => edited.load(offset, limit, text ? `%${text}%` : "")}
        rowKey={edited.nameOf}
        empty={<p>{text ? "Nothing has such a name." : edited.empty}</p>}
        columns={isEditor ? [...(edited.removeMany ? [choice] : []), ...edited.columns, deeds] : edited.columns}
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

interface ChoiceProps {
  name: string;
  isChosen: boolean;
  onChange: (name: string, isChosen: boolean) => void;
}

function Choice({ name, isChosen, onChange }: ChoiceProps) {
  return (
    <input
      type="checkbox"
      aria-label={`Choose ${name}`}
      checked={isChosen}
      onChange={({ target }) => {
        onChange(name, target.checked);
      }}
    />
  );
}

interface ChosenProps {
  names: string[];
  remove: (names: string[]) => Promise<unknown>;
  refresh: () => Promise<unknown>;
  onDone: () => void;
}

/** What can be done with all that are chosen. */
function Chosen({ names, remove, refresh, onDone }: ChosenProps) {
  const removal = useMutation({ mutationFn: () => remove(names), onSuccess: onDone, onSettled: refresh });
  return (
    <p className={styles.chosen}>
      {names.length} chosen
      <DeleteButton
        name={`${names.length} chosen`}
        onSure={() => {
          removal.mutate();
        }}
      />
      <Button onClick={onDone}>None</Button>
      {removal.error && <span role="alert">{removal.error.message}</span>}
    </p>
  );
}

interface DeedsProps {
  name: string;
  onEdit: () => void;
  onRemove: () => void;
  children?: ReactNode;
}

function Deeds({ name, onEdit, onRemove, children }: DeedsProps) {
  return (
    <span className={styles.deeds}>
      {children}
      <Button aria-label={`Change ${name}`} onClick={onEdit}>
        Change
      </Button>
      <DeleteButton name={name} onSure={onRemove} />
    </span>
  );
}

/** Asks once more, in the same place. */
function DeleteButton({ name, onSure }: { name: string; onSure: () => void }) {
  const [isSure, setSure] = useState(false);
  return (
    <Button
      kind={isSure ? "danger" : "plain"}
      aria-label={isSure ? `Really delete ${name}` : `Delete ${name}`}
      onBlur={() => {
        setSure(false);
      }}
      onClick={
        isSure
          ? onSure
          : () => {
              setSure(true);
            }
      }
    >
      {isSure ? "Really delete" : "Delete"}
    </Button>
  );
}
