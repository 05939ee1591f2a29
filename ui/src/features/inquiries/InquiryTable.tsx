import { Link } from "@tanstack/react-router";
import { useState } from "react";

import { api, data } from "~/api/client";
import { useMay } from "~/api/permissions";
import { Button } from "~/components/Button";
import { Dialog } from "~/components/Dialog";
import { Moment } from "~/components/Moment";
import { PagedTable } from "~/components/PagedTable";
import { State } from "~/components/State";

import { answeredBy, type Inquiry, isOpen } from "./inquiry.model";
import { Question } from "./Question";

export type Shown = "open" | "answered" | "all";

interface Props {
  shown: Shown;
  searched: string;
}

/** What tasks ask people. */
export function InquiryTable({ shown, searched }: Props) {
  const may = useMay();
  const [opened, setOpened] = useState<Inquiry>();
  const close = () => {
    setOpened(undefined);
  };
  return (
    <>
      <PagedTable
        key={`${shown} ${searched}`}
        label="Required actions"
        queryKey={["required-actions", shown, searched]}
        load={(offset, limit) => load({ shown, searched, offset, limit })}
        rowKey={({ task_instance: task }) => task.id}
        empty={
          <p>
            {shown === "open"
              ? "No task waits for an answer. What operators with a question ask is shown here at once."
              : "No task has asked anything like this."}
          </p>
        }
        columns={[
          { title: "Question", cell: (inquiry) => inquiry.subject },
          {
            title: "Task",
            cell: ({ task_instance: task }) => (
              <Link
                to="/dags/$dagId"
                params={{ dagId: task.dag_id }}
                search={{
                  run: task.dag_run_id,
                  task: task.task_id,
                  ...(task.map_index >= 0 && { map: task.map_index }),
                }}
              >
                {task.dag_display_name} {task.task_display_name}
                {task.map_index >= 0 && ` [${task.rendered_map_index ?? task.map_index}]`}
              </Link>
            ),
          },
          { title: "Run", cell: ({ task_instance: task }) => task.dag_run_id },
          { title: "Asked", cell: (inquiry) => <Moment at={inquiry.created_at} /> },
          {
            title: "For",
            cell: ({ assigned_users: users = [] }) => users.map(({ name }) => name).join(", ") || "anybody",
          },
          { title: "State", cell: ({ task_instance: task }) => <State state={task.state} /> },
          {
            title: "Answer",
            cell: (inquiry) =>
              isOpen(inquiry) ? (
                <AnswerButton
                  subject={inquiry.subject}
                  isAllowed={may("edit", "DAG", inquiry.task_instance.dag_id).isAllowed}
                  onClick={() => {
                    setOpened(inquiry);
                  }}
                />
              ) : inquiry.response_received ? (
                `${inquiry.chosen_options?.join(", ") ?? ""} (${answeredBy(inquiry)})`
              ) : (
                "not answered"
              ),
          },
        ]}
      />
      {opened && (
        <Dialog
          title="Required action"
          onClose={close}

          buttons={<Button onClick={close}>Close</Button>}
        >
          <Question inquiry={opened} onAnswered={close} />
        </Dialog>
      )}
    </>
  );
}

interface ButtonProps {
  subject: string;
  isAllowed: boolean;
  onClick: () => void;
}

/** Who may not answer may read what is asked. */
function AnswerButton({ subject, isAllowed, onClick }: ButtonProps) {
  const word = isAllowed ? "Answer" : "Read";
  return (
    <Button kind={isAllowed ? "deed" : "plain"} aria-label={`${word} ${subject}`} onClick={onClick}>
      {word}…
    </Button>
  );
}

interface Asked extends Props {
  offset: number;
  limit: number;
}

async function load({ shown, searched, offset, limit }: Asked) {
  const wanted = { open: false, answered: true, all: undefined }[shown];
  const found = await data(
    api.GET("/api/v2/dags/{dag_id}/dagRuns/{dag_run_id}/hitlDetails", {
      params: {
        path: { dag_id: "~", dag_run_id: "~" },
        query: {
          offset,
          limit,
          order_by: ["-created_at"],
          ...(wanted !== undefined && { response_received: wanted }),
          ...(shown === "open" && { state: ["awaiting_input"] }),
          ...(searched && { subject_search: searched }),
        },
      },
    }),
  );
  return { rows: found.hitl_details, total: found.total_entries };
}
