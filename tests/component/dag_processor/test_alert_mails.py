"""E-mail of tasks that ended without a worker is sent by the DAG processor, to a real SMTP server (D4, E4)."""

from email.message import Message
from pathlib import Path

import pytest

from tests.component.dag_processor.processors import deployment, work_until_idle
from tests.component.dag_processor.test_callbacks import called, run_dag
from tests.mail_server import mail_server
from tradewind.model.ids import TaskKey
from tradewind.model.pool import DEFAULT_POOL, Pool
from tradewind.model.states import TaskState
from tradewind.operations.request_callbacks import request_task_callbacks
from tradewind.operations.structures import Structures

FILE = """
from airflow.sdk import DAG
from airflow.providers.standard.operators.bash import BashOperator

with DAG("sales", schedule=None):
    BashOperator.partial(task_id="many", email="bob@example.org").expand(bash_command=["x"])
    BashOperator(task_id="load", bash_command="x", retries=1, email="ada@example.org", email_on_retry=False)
"""


def text_of(message: Message) -> str:
    part = next(part for part in message.walk() if part.get_content_maintype() == "text")
    return bytes(part.get_payload(decode=True)).decode()


def test_a_failure_is_told_by_e_mail_where_the_task_wants_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the task that failed for good, and of a copy of a mapped one; not of the retry."""
    with mail_server() as box:
        monkeypatch.setenv("AIRFLOW__SMTP__SMTP_HOST", "127.0.0.1")
        monkeypatch.setenv("AIRFLOW__SMTP__SMTP_PORT", str(box.port))
        monkeypatch.setenv("AIRFLOW__SMTP__SMTP_STARTTLS", "False")
        with deployment(tmp_path / "home") as world:
            with world.database.begin() as tx:
                tx.pools.create(Pool(DEFAULT_POOL, 16))
            world.write("sales.py", FILE)
            processor = world.processor()
            work_until_idle(processor)
            run, now = run_dag(world, is_failing=False), world.clock.now()

            for state in (TaskState.UP_FOR_RETRY, TaskState.FAILED):
                with world.database.begin() as tx:
                    found = tx.tasks.instances(run.key)
                    tx.tasks.set_state(found, state, now, max_tries=[1 for _ in found], reason="for the test")
                    keys = [TaskKey(run.key, "load")] + [each.key for each in found if each.map_index == 0]
                    chosen = keys if state is TaskState.FAILED else keys[:1]
                    request_task_callbacks(tx, chosen, "its trigger said so", Structures(), now)
                processor.call_back()
                work_until_idle(processor)

            assert [each.error for each in called(world)] == [None, None]
    assert all("AirflowException: its trigger said so" in text_of(message) for message in box.messages)
    subjects = {str(message["To"]): message["Subject"] for message in box.messages}
    assert subjects == {
        "ada@example.org": "Tradewind alert: sales.load in run r1: failed",
        "bob@example.org": "Tradewind alert: sales.many in run r1: failed",
    }
