"""A task that never was, lived through before any fork.

The SDK loads much of itself only when it is first needed, which saves time wherever few tasks are run. Each child would
load it again. So the nursery lives one task of each common kind through once: whatever that loads and prepares, all
children have.
"""

import logging
from contextlib import redirect_stderr, redirect_stdout, suppress
from datetime import UTC, datetime
from importlib import import_module
from io import StringIO
from typing import Any, Final, cast
from uuid import UUID

from tradewind.model.assignment import Assignment
from tradewind.model.task_answers import DagRunResult, XComElement
from tradewind.sdk.dags import DAG
from tradewind.sdk.runtime import Runtime
from tradewind.sdk.secrets_masker import secrets_masker
from tradewind.sdk.standard.bash import BashOperator
from tradewind.sdk.standard.python import PythonOperator
from tradewind.worker.child.ended import ended
from tradewind.worker.protocol import encode
from tradewind.worker.questions import decode_answer, encode_answer, encode_arguments
from tradewind.worker.task_life.life import TaskLife

_LONG_AGO: Final = datetime(2000, 1, 1, tzinfo=UTC)
_OFTEN: Final = 20
"""After so many calls Python has replaced the instructions of a function by faster ones, for all children at once."""
_RUN: Final = DagRunResult(
    dag_id="rehearsal",
    run_id="rehearsal",
    run_after=_LONG_AGO,
    run_type="manual",
    state="running",
    logical_date=_LONG_AGO,
    data_interval_start=_LONG_AGO,
    data_interval_end=_LONG_AGO,
    start_date=_LONG_AGO,
)


class _Nobody:
    """A runtime that knows nothing and keeps nothing."""

    def __getattr__(self, name: str) -> Any:
        return lambda *_args, **_kwargs: None

    def get_inactive_assets(self) -> tuple[()]:
        return ()

    def get_xcom_element(self, **which: Any) -> Any:
        encode_arguments("get_xcom_element", (), which)
        return decode_answer("get_xcom_element", encode_answer("get_xcom_element", XComElement("this", 1)))


def rehearse() -> None:
    """Live through a task of each common kind."""
    secrets_masker()
    with DAG("rehearsal", schedule=None, start_date=_LONG_AGO) as dag:
        python = PythonOperator(task_id="python", python_callable=_say, op_kwargs={"what": "{{ ds }} {{ run_id }}"})
        BashOperator(task_id="bash", bash_command="true")
        _decorate("decorated")("{{ logical_date }}")
        _decorate("mapped").expand(what=python.output)
    former = logging.root.manager.disable
    logging.disable(logging.CRITICAL)
    try:
        with redirect_stdout(StringIO()), redirect_stderr(StringIO()), suppress(Exception):
            for task_id in ("bash", *_OFTEN * ("python", "decorated", "mapped")):
                _live(dag, task_id)
    finally:
        logging.disable(former)


def _decorate(task_id: str) -> Any:
    # As authors write it, so that the names it goes through are loaded.
    return import_module("airflow.sdk").task(task_id=task_id)(_say)


def _say(what: str) -> list[str]:
    return [what]


def _live(dag: DAG, task_id: str) -> None:
    map_index = 0 if task_id == "mapped" else -1
    assignment = Assignment(id=UUID(int=0), task_id=task_id, dag_run=_RUN, started_at=_LONG_AGO, map_index=map_index)
    life = TaskLife(dag, assignment, cast("Runtime", _Nobody()), environment={})
    outcome = life.run()
    encode(ended(outcome, _LONG_AGO))
    life.finish(outcome)
