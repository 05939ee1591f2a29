import { api, data, type Schemas } from "~/api/client";
import type { Field } from "~/components/FormDialog";
import { PoolBar } from "~/components/PoolBar";
import rows from "~/components/Rows.module.css";
import { EditDialog } from "~/features/admin/EditDialog";
import { type Edited, EditedTable } from "~/features/admin/EditedTable";

type Pool = Schemas["PoolResponse"];

const path = (name: string) => ({ params: { path: { pool_name: name } } });
const nameOf = (pool: Pool) => pool.name;

const fields: Field[] = [
  { name: "name", label: "Name", kind: "text", isRequired: true },
  { name: "slots", label: "Slots (-1: no limit)", kind: "number", isRequired: true },
  { name: "description", label: "Description", kind: "text" },
  { name: "include_deferred", label: "Deferred tasks take slots", kind: "check" },
];

const pools: Edited<Pool> = {
  title: "Pools",
  one: "pool",
  resource: "pool",
  queryKey: ["pools"],
  isSearchable: true,
  load: async (offset, limit, pattern) => {
    const query = { offset, limit, order_by: ["name"], ...(pattern && { pool_name_pattern: pattern }) };
    const found = await data(api.GET("/api/v2/pools", { params: { query } }));
    return { rows: found.pools, total: found.total_entries };
  },
  nameOf,
  columns: [
    {
      title: "Name",
      cell: (pool) => (
        <span className={rows.described}>
          <strong>{pool.name}</strong>
          {pool.description && <small>{pool.description}</small>}
        </span>
      ),
    },
    { title: "Use", cell: (pool) => <PoolBar pool={pool} /> },
    {
      title: "Slots",
      cell: (pool) => (
        <span className={rows.whole}>{pool.slots < 0 ? "no limit" : `${pool.open_slots} of ${pool.slots} free`}</span>
      ),
    },
    { title: "Running", cell: (pool) => pool.running_slots },
    { title: "Queued", cell: (pool) => pool.queued_slots },
    { title: "Waiting", cell: (pool) => pool.scheduled_slots },
    { title: "Deferred", cell: deferred },
  ],
  dialog: (props) => (
    <EditDialog
      {...props}
      one="pool"
      fields={fields}
      values={{
        name: props.row?.name ?? "",
        slots: String(props.row?.slots ?? 1),
        description: props.row?.description ?? "",
        include_deferred: props.row?.include_deferred ?? false,
      }}
      nameOf={nameOf}
      add={(values) => data(api.POST("/api/v2/pools", { body: { name: String(values.name), ...body(values) } }))}
      change={(name, values) => data(api.PATCH("/api/v2/pools/{pool_name}", { ...path(name), body: body(values) }))}
    />
  ),
  remove: (name) => api.DELETE("/api/v2/pools/{pool_name}", path(name)),
  empty: "The default pool is made with the database.",
};

function deferred({ deferred_slots: slots, include_deferred: isCounted }: Pool): string {
  return slots > 0 && !isCounted ? `${slots}, without slots` : String(slots);
}

function body({ slots, description, include_deferred: counts }: Record<string, string | boolean>) {
  return { slots: Number(slots), description: String(description) || null, include_deferred: counts === true };
}

export function PoolsPage() {
  return <EditedTable {...pools} />;
}
