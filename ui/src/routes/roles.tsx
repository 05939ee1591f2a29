import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";

import { rolesQuery } from "~/api/around";
import { api, data } from "~/api/client";
import { Button } from "~/components/Button";
import { Can } from "~/components/Can";
import { FormDialog } from "~/components/FormDialog";
import { Page } from "~/components/Page";
import { PagedTable } from "~/components/PagedTable";

const powers: Partial<Record<string, string>> = {
  Viewer: "sees DAGs, runs, logs, assets and pools",
  User: "may also trigger, clear, mark, pause, answer and create asset events",
  Op: "may also change pools, variables and connections, and sees the audit log and the configuration",
  Admin: "may also change users and roles",
};

/** Roles: those that there always are, and those that DAGs grant something. */
export default function RolesPage() {
  const client = useQueryClient();
  const [isOpen, setOpen] = useState(false);
  const refresh = () => client.invalidateQueries({ queryKey: rolesQuery.queryKey });
  const removal = useMutation({
    mutationFn: (name: string) => api.DELETE("/auth/roles/{role_name}", { params: { path: { role_name: name } } }),
    onSettled: refresh,
  });
  return (
    <Page
      title="Roles"
      actions={
        <Can action="edit" resource="user">
          <Button
            kind="deed"
            onClick={() => {
              setOpen(true);
            }}
          >
            Add a role
          </Button>
        </Can>
      }
    >
      {removal.error && <p role="alert">{removal.error.message}</p>}
      <PagedTable
        label="Roles"
        queryKey={["roles", "page"]}
        load={async (offset, limit) => {
          const { roles } = await data(api.GET("/auth/roles"));
          return { rows: roles.slice(offset, offset + limit), total: roles.length };
        }}
        rowKey={(role) => role.name}
        empty={<p>Roles are given to people on the page of users.</p>}
        columns={[
          { title: "Role", cell: (role) => <strong>{role.name}</strong> },
          {
            title: "What it may",
            cell: (role) => powers[role.name] ?? "what the access_control of DAGs lets it do, and nothing else",
          },
          {
            title: "",
            cell: (role) =>
              !role.is_built_in && (
                <Can action="delete" resource="user">
                  <Button
                    aria-label={`Delete ${role.name}`}
                    onClick={() => {
                      removal.mutate(role.name);
                    }}
                  >
                    Delete
                  </Button>
                </Can>
              ),
          },
        ]}
      />
      {isOpen && (
        <FormDialog
          title="Add a role"
          fields={[{ name: "name", label: "Name", kind: "text", isRequired: true }]}
          values={{ name: "" }}
          deed="Add"
          save={async ({ name }) => {
            await data(api.POST("/auth/roles", { body: { name: String(name) } }));
            await refresh();
          }}
          onClose={() => {
            setOpen(false);
          }}
        />
      )}
    </Page>
  );
}
