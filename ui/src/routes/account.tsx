import { useQuery } from "@tanstack/react-query";

import { meQuery } from "~/api/queries";
import { Card } from "~/components/Card";
import { Facts } from "~/components/Facts";
import { Page } from "~/components/Page";
import { OwnPassword } from "~/features/admin/OwnPassword";
import { Tokens } from "~/features/admin/Tokens";
import styles from "~/features/admin/Tokens.module.css";

/** Who one is, one's password, and one's tokens. */
export default function AccountPage() {
  const { data: me, error, isPending } = useQuery(meQuery);
  return (
    <Page title="Account">
      <div className={styles.page}>
        <Card title="Me" error={error} isLoading={isPending} more={me?.has_password && <OwnPassword />}>
          {me && (
            <Facts
              facts={[
                ["User name", me.username],
                ["Name", `${me.first_name ?? ""} ${me.last_name ?? ""}`.trim()],
                ["Mail address", me.email],
                ["Roles", me.roles.join(", ")],
                ["Rights of", me.level],
              ]}
            />
          )}
        </Card>
        <Tokens />
      </div>
    </Page>
  );
}
