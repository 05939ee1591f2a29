import { requireAll } from "~/api/bulk";
import { api, data } from "~/api/client";
import type { Connection } from "~/features/admin/connection.model";
import { ConnectionDialog } from "~/features/admin/ConnectionDialog";
import { type Edited, EditedTable } from "~/features/admin/EditedTable";

const connections: Edited<Connection> = {
  title: "Connections",
  one: "connection",
  resource: "connection",
  queryKey: ["connections"],
  isSearchable: true,
  load: async (offset, limit, pattern) => {
    const query = { offset, limit, order_by: ["connection_id"], ...(pattern && { connection_id_pattern: pattern }) };
    const found = await data(api.GET("/api/v2/connections", { params: { query } }));
    return { rows: found.connections, total: found.total_entries };
  },
  nameOf: (connection) => connection.connection_id,
  columns: [
    { title: "Name", cell: (connection) => <strong>{connection.connection_id}</strong> },
    { title: "Type", cell: (connection) => connection.conn_type },
    { title: "Host", cell: ({ host, port }) => [host, port].filter((part) => part !== null).join(":") },
    { title: "Login", cell: (connection) => connection.login },
    { title: "Description", cell: (connection) => connection.description },
  ],
  dialog: (props) => <ConnectionDialog {...props} />,
  remove: (name) => api.DELETE("/api/v2/connections/{connection_id}", { params: { path: { connection_id: name } } }),
  removeMany: async (names) => {
    const actions = [{ action: "delete" as const, action_on_non_existence: "skip" as const, entities: names }];
    requireAll((await data(api.PATCH("/api/v2/connections", { body: { actions } }))).delete);
  },
  empty: "Hooks and operators find them by their name.",
};

export function ConnectionsPage() {
  return <EditedTable {...connections} />;
}
