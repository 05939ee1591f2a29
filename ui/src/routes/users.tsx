import { api, data, type Schemas } from "~/api/client";
import { Moment } from "~/components/Moment";
import { type Edited, EditedTable } from "~/features/admin/EditedTable";
import { ResetPassword, UserDialog } from "~/features/admin/UserDialog";

const users: Edited<Schemas["UserResponse"]> = {
  title: "Users",
  one: "user",
  resource: "user",
  queryKey: ["users"],
  load: async (offset, limit) => {
    const found = await data(api.GET("/auth/users", { params: { query: { offset, limit } } }));
    return { rows: found.users, total: found.total_entries };
  },
  nameOf: (user) => user.username,
  columns: [
    { title: "User name", cell: (user) => <strong>{user.username}</strong> },
    { title: "Name", cell: (user) => `${user.first_name} ${user.last_name}` },
    { title: "Mail address", cell: (user) => user.email },
    { title: "Roles", cell: (user) => user.roles.join(", ") },
    { title: "May log in", cell: (user) => (user.is_active ? "yes" : "no") },
    { title: "Last login", cell: (user) => <Moment at={user.last_login_at} /> },
  ],
  dialog: (props) => <UserDialog {...props} />,
  deeds: (user, refresh) => <ResetPassword user={user} refresh={refresh} />,
  remove: (username) => api.DELETE("/auth/users/{username}", { params: { path: { username } } }),
  empty: "The first user is made at the first start.",
};

export default function UsersPage() {
  return <EditedTable {...users} />;
}
