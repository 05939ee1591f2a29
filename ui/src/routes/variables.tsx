import { requireAll } from "~/api/bulk";
import { api, data, type Schemas } from "~/api/client";
import type { Field, Values } from "~/components/FormDialog";
import { EditDialog } from "~/features/admin/EditDialog";
import { type Edited, EditedTable } from "~/features/admin/EditedTable";
import { VariableFiles } from "~/features/admin/VariableFiles";
import { hidden } from "~/features/admin/variables.model";

type Variable = Schemas["VariableResponse"];

const nameOf = (variable: Variable) => variable.key;
const isHidden = (variable: Variable | undefined) => variable?.value === hidden;

const fields = (variable: Variable | undefined): Field[] => [
  { name: "key", label: "Key", kind: "text", isRequired: true },
  { name: "value", label: isHidden(variable) ? "Value (empty: as it is)" : "Value", kind: "long text" },
  { name: "description", label: "Description", kind: "text" },
];

const variables: Edited<Variable> = {
  title: "Variables",
  one: "variable",
  resource: "variable",
  queryKey: ["variables"],
  isSearchable: true,
  actions: <VariableFiles />,
  load: async (offset, limit, pattern) => {
    const query = { offset, limit, order_by: ["key"], ...(pattern && { variable_key_pattern: pattern }) };
    const found = await data(api.GET("/api/v2/variables", { params: { query } }));
    return { rows: found.variables, total: found.total_entries };
  },
  nameOf,
  columns: [
    { title: "Key", cell: (variable) => <strong>{variable.key}</strong> },
    { title: "Value", cell: (variable) => <Value variable={variable} /> },
    { title: "Description", cell: (variable) => variable.description },
  ],
  dialog: (props) => (
    <EditDialog
      {...props}
      one="variable"
      fields={fields(props.row)}
      values={{
        key: props.row?.key ?? "",
        value: isHidden(props.row) ? "" : (props.row?.value ?? ""),
        description: props.row?.description ?? "",
      }}
      nameOf={nameOf}
      add={(values) => data(api.POST("/api/v2/variables", { body: body(values) }))}
      change={(key, values) => data(api.PATCH("/api/v2/variables/{variable_key}", changed(key, values, props.row)))}
    />
  ),
  remove: (key) => api.DELETE("/api/v2/variables/{variable_key}", { params: { path: { variable_key: key } } }),
  removeMany: async (names) => {
    const actions = [{ action: "delete" as const, action_on_non_existence: "skip" as const, entities: names }];
    requireAll((await data(api.PATCH("/api/v2/variables", { body: { actions } }))).delete);
  },
  empty: "Tasks read them with Variable.get(…). Values of keys that sound secret are not shown.",
};

function Value({ variable }: { variable: Variable }) {
  if (variable.value === null) return <em>encrypted with another key</em>;
  return isHidden(variable) ? <span title="Its key sounds secret">•••</span> : variable.value;
}

function changed(key: string, values: Values, row: Variable | undefined) {
  const isKept = isHidden(row) && values.value === "";
  return {
    params: {
      path: { variable_key: key },
      query: { update_mask: isKept ? ["description"] : ["value", "description"] },
    },
    body: body(values),
  };
}

function body({ key, value, description }: Values) {
  return { key: String(key), value: String(value), description: String(description) || null };
}

export function VariablesPage() {
  return <EditedTable {...variables} />;
}
