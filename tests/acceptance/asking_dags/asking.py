"""Tasks that ask people."""

import os
from datetime import timedelta
from pathlib import Path

from airflow.providers.standard.operators.hitl import (
    ApprovalOperator,
    HITLBranchOperator,
    HITLEntryOperator,
    HITLOperator,
)
from airflow.sdk import DAG, BaseNotifier, Param, task

NOTES = Path(os.environ["ACCEPTANCE_FOLDER"])


class Noting(BaseNotifier):
    """Writes down where the question can be answered."""

    def __init__(self, message):
        super().__init__()
        self.message = message

    template_fields = ("message",)

    def notify(self, context):
        link = HITLOperator.generate_link_to_ui_from_context(
            context=context, base_url="http://here", options=["Approve"], params_input=None
        )
        (NOTES / "notified").write_text(f"{self.message}\n{link}")


def note_failure(context):
    """Called in a worker, with the error."""
    name = context["ti"].task_id
    (NOTES / f"failure.{name}").write_text(type(context["exception"]).__name__)


with DAG("asking", schedule=None, default_args={"on_failure_callback": note_failure}):
    approve = ApprovalOperator(
        task_id="approve",
        subject="Ship {{ dag_run.run_id }}?",
        body="It is *{{ task.task_id }}*",
        notifiers=Noting("please look at {{ task.task_id }}"),
        assigned_users=[{"id": "ann", "name": "Ann"}],
    )
    reject = ApprovalOperator(task_id="reject", subject="?")
    refuse = ApprovalOperator(task_id="refuse", subject="?", fail_on_reject=True)
    branch = HITLBranchOperator(
        task_id="branch", subject="Where?", options=["left", "right"], options_mapping={"left": "go_left"}
    )
    fill_in = HITLEntryOperator(
        task_id="fill_in",
        subject="How many?",
        params={"number": Param(1, type="integer", minimum=1), "name": Param(type="string")},
    )
    several = HITLOperator(task_id="several", subject="Which?", options=["a", "b", "c"], multiple=True)
    HITLOperator.partial(task_id="mapped", options=["yes", "no"]).expand(subject=["first", "second"])
    HITLOperator(
        task_id="by_default", subject="?", options=["a", "b"], defaults="b", response_timeout=timedelta(seconds=0.1)
    )
    HITLOperator(task_id="too_late", subject="?", options=["a"], response_timeout=timedelta(seconds=0.1))

    @task
    def after(name):
        return name

    approve >> after.override(task_id="shipped")("x")
    reject >> after.override(task_id="never")("x")
    branch >> [after.override(task_id="go_left")("x"), after.override(task_id="right")("x")]
