import { Link, useNavigate, useSearch } from "@tanstack/react-router";

import { api, data, type Schemas } from "~/api/client";
import { Moment } from "~/components/Moment";
import { Page } from "~/components/Page";
import { PagedTable } from "~/components/PagedTable";
import { Tabs } from "~/components/Tabs";

import styles from "./records.module.css";

type Trigger = Schemas["RunningTriggerResponse"];

const titles = { all: "All", blocked: "Held up others", quarantined: "Kept apart" } as const;
type Which = keyof typeof titles;

/** What tasks wait for, who runs it, and what held up others. */
export default function TriggersPage() {
  const { which = "all" } = useSearch({ from: "/triggers" });
  const navigate = useNavigate({ from: "/triggers" });
  const filter = {
    ...(which === "blocked" && { has_blocked: true }),
    ...(which === "quarantined" && { is_quarantined: true }),
  };
  return (
    <Page title="Triggers">
      <Tabs
        label="Which triggers"
        tabs={(Object.keys(titles) as Which[]).map((name) => [name, titles[name]] as const)}
        chosen={which}
        onChoose={(next) => {
          void navigate({ search: next === "all" ? {} : { which: next } });
        }}
      />
      <div className={styles.below}>
        <PagedTable
          key={which}
          label="Triggers"
          queryKey={["triggers", which]}
          load={async (offset, limit) => {
            const query = { offset, limit, order_by: ["created_date"], ...filter };
            const found = await data(api.GET("/ui/triggers", { params: { query } }));
            return { rows: found.triggers, total: found.total_entries };
          }}
          rowKey={(trigger) => trigger.id}
          empty={
            <p>
              {which === "all"
                ? "No task waits with a trigger. Tasks that defer appear here while they wait."
                : "No trigger has held up others: all of them leave the event loop alone."}
            </p>
          }
          columns={[
            { title: "Waits for", cell: (trigger) => <What trigger={trigger} /> },
            { title: "Task", cell: (trigger) => <Task trigger={trigger} /> },
            { title: "Waits since", cell: (trigger) => <Moment at={trigger.created_date} /> },
            { title: "Triggerer", cell: (trigger) => <Where trigger={trigger} /> },
            { title: "Held up others", cell: (trigger) => <Blocks trigger={trigger} /> },
          ]}
        />
      </div>
    </Page>
  );
}

function What({ trigger: { classpath, queue } }: { trigger: Trigger }) {
  const name = classpath.split(".").at(-1);
  return (
    <>
      <strong title={classpath}>{name}</strong>
      <small className={styles.faint}>{queue === null ? classpath : `${classpath}, queue ${queue}`}</small>
    </>
  );
}

function Task({ trigger }: { trigger: Trigger }) {
  const { dag_id: dagId, dag_run_id: run, task_id: task, map_index: map } = trigger;
  return (
    <>
      <Link to="/dags/$dagId" params={{ dagId }} search={{ run, task, ...(map >= 0 && { map }) }}>
        {dagId} / {task}
        {map >= 0 && ` [${map}]`}
      </Link>
      <small className={styles.faint}>{run}</small>
    </>
  );
}

function Where({ trigger }: { trigger: Trigger }) {
  if (trigger.is_called_off) return "called off";
  if (trigger.triggerer_id === null) return "nobody runs it yet";
  return (
    <>
      {trigger.triggerer_hostname} <small className={styles.faint}>process {trigger.triggerer_pid}</small>
    </>
  );
}

function Blocks({ trigger }: { trigger: Trigger }) {
  if (trigger.blocked_count === 0) return null;
  return (
    <details>
      <summary>
        {trigger.blocked_count === 1 ? "once" : `${trigger.blocked_count} times`}, last{" "}
        <Moment at={trigger.last_blocked} />
        {trigger.is_quarantined && " (kept apart)"}
      </summary>
      <pre>{trigger.last_blocked_stack}</pre>
    </details>
  );
}
