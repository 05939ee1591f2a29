import { useState } from "react";

import { api, data } from "~/api/client";
import { Button } from "~/components/Button";
import { FormDialog } from "~/components/FormDialog";

/** From the old one to the new one. This session goes on; all others end. */
export function OwnPassword() {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button
        onClick={() => {
          setOpen(true);
        }}
      >
        Change password
      </Button>
      {isOpen && (
        <FormDialog
          title="Change password"
          fields={[
            { name: "old", label: "Old password", kind: "password", isRequired: true },
            { name: "new", label: "New password", kind: "password", isRequired: true },
            { name: "again", label: "New password once more", kind: "password", isRequired: true },
          ]}
          values={{ old: "", new: "", again: "" }}
          deed="Change"
          save={async (values) => {
            if (values.new !== values.again) throw new Error("The two new passwords are not the same.");
            await data(
              api.POST("/auth/me/password", {
                body: { old_password: String(values.old), new_password: String(values.new) },
              }),
            );
          }}
          onClose={() => {
            setOpen(false);
          }}
        />
      )}
    </>
  );
}
