import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";

import { api, data, type Schemas } from "~/api/client";
import { Button } from "~/components/Button";
import { Can } from "~/components/Can";
import { FormDialog } from "~/components/FormDialog";

import { parseExtra } from "./extra.model";

/** Tells of an update that happened elsewhere, or has the DAG run that updates it. */
export function AssetActions({ asset }: { asset: Schemas["AssetResponse"] }) {
  const [open, setOpen] = useState<"event" | "run">();
  const close = () => {
    setOpen(undefined);
  };
  return (
    <>
      <Can action="edit" resource="asset" explain>
        <Button
          disabled={asset.producing_tasks.length === 0}
          title={asset.producing_tasks.length === 0 ? "No task updates it" : "Run the DAG that updates it"}
          onClick={() => {
            setOpen("run");
          }}
        >
          Materialize
        </Button>
        <Button
          kind="deed"
          onClick={() => {
            setOpen("event");
          }}
        >
          Create an event
        </Button>
      </Can>
      {open === "event" && <EventDialog asset={asset} onClose={close} />}
      {open === "run" && <RunDialog asset={asset} onClose={close} />}
    </>
  );
}

interface DialogProps {
  asset: Schemas["AssetResponse"];
  onClose: () => void;
}

function EventDialog({ asset, onClose }: DialogProps) {
  const client = useQueryClient();
  return (
    <FormDialog
      title={`Event of ${asset.name}`}
      fields={[
        { name: "extra", label: "Extra (JSON)", kind: "long text" },
        { name: "partition", label: "Partition", kind: "text" },
      ]}
      values={{ extra: "{}", partition: "" }}
      deed="Create"
      onClose={onClose}
      save={async ({ extra, partition }) => {
        const body = {
          asset_id: asset.id,
          extra: parseExtra(String(extra)),
          ...(partition && { partition_key: String(partition) }),
        };
        await data(api.POST("/api/v2/assets/events", { body }));
        await client.invalidateQueries({ queryKey: ["assets"] });
      }}
    />
  );
}

function RunDialog({ asset, onClose }: DialogProps) {
  const navigate = useNavigate();
  return (
    <FormDialog
      title={`Materialize ${asset.name}`}
      fields={[
        { name: "conf", label: "Configuration (JSON)", kind: "long text" },
        { name: "note", label: "Note", kind: "text" },
      ]}
      values={{ conf: "{}", note: "" }}
      deed="Run"
      onClose={onClose}
      save={async ({ conf, note }) => {
        const run = await data(
          api.POST("/api/v2/assets/{asset_id}/materialize", {
            params: { path: { asset_id: asset.id } },
            body: { conf: parseExtra(String(conf)), note: String(note) || null },
          }),
        );
        await navigate({ to: "/dags/$dagId", params: { dagId: run.dag_id }, search: { run: run.dag_run_id } });
      }}
    />
  );
}
