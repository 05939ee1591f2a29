import { type Field, FormDialog, type Values } from "~/components/FormDialog";

import type { DialogProps } from "./EditedTable";

interface Props<Row> extends DialogProps<Row> {
  /** One of them, as in "Add a pool". */
  one: string;
  /** The first one is the name, which stays as it is. */
  fields: Field[];
  values: Values;
  nameOf: (row: Row) => string;
  add: (values: Values) => Promise<unknown>;
  change: (name: string, values: Values) => Promise<unknown>;
}

/** Adds or changes something that has a name and a few fields. */
export function EditDialog<Row>({ row, one, fields, values, nameOf, add, change, onSaved, onClose }: Props<Row>) {
  const shown = fields.map((field, position) =>
    row !== undefined && position === 0 ? { ...field, isFixed: true } : field,
  );
  return (
    <FormDialog
      title={row === undefined ? `Add a ${one}` : `Change ${nameOf(row)}`}
      fields={shown}
      values={values}
      deed={row === undefined ? "Add" : "Save"}
      save={async (given) => {
        await (row === undefined ? add(given) : change(nameOf(row), given));
        await onSaved();
      }}
      onClose={onClose}
    />
  );
}
