"""A task that never was, lived through before any fork.

The SDK loads much of itself only when it is first needed, which saves time wherever few tasks are run. Each child would
load it again. So the nursery lives one task of each common kind through, from its order to its last word, just as a
child does: whatever that loads, finds out and prepares, all children have, and share the memory of.
"""

import logging
import os
import socket
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from importlib import import_module
from typing import Any, Final, cast
from uuid import UUID

import msgspec
import setproctitle

from tradewind.model.assignment import Assignment
from tradewind.model.task_answers import DagRunResult, XComElement
from tradewind.sdk.dags import DAG
from tradewind.sdk.runtime import Runtime, set_process_runtime
from tradewind.sdk.secrets_masker import secrets_masker
from tradewind.sdk.standard.bash import BashOperator
from tradewind.sdk.standard.python import PythonOperator
from tradewind.sdk.xcom import is_foreign_backend
from tradewind.wire.frames import pack
from tradewind.worker.child.attempt import carry_out, received
from tradewind.worker.child.dag_file import ImportedFile
from tradewind.worker.child.output import CAPTURE
from tradewind.worker.child.pipe import Pipe
from tradewind.worker.child.pipe_runtime import PipeRuntime
from tradewind.worker.child.termination import obey_no_more
from tradewind.worker.protocol import Answer, DagFile, FrameKind
from tradewind.worker.questions import encode_answer

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
_ANSWERS: Final[Mapping[str, object]] = {"get_inactive_assets": (), "get_xcom_element": XComElement("this", 1)}


class _Line:
    """A pipe whose other end answers before it is asked, and is not read. Implements `pipe_runtime.Line`."""

    def __init__(self, assignment: Assignment) -> None:
        self._other, own = socket.socketpair()
        self.pipe = Pipe(own.detach())
        self._other.send(pack(FrameKind.ORDER, msgspec.json.encode(assignment)))
        self._asked = 0

    def hide(self, texts: list[str]) -> None:
        """See `Line.hide`."""
        self.pipe.hide(texts)

    def tell(self, method: str, arguments: bytes) -> None:
        """See `Line.tell`."""
        self.pipe.tell(method, arguments)

    def ask(self, method: str, arguments: bytes) -> Answer:
        """See `Line.ask`."""
        self._asked += 1
        value = encode_answer(method, _ANSWERS.get(method))
        self._other.send(pack(FrameKind.ANSWER, Answer(self._asked, value)))
        return self.pipe.ask(method, arguments)

    def close(self) -> None:
        """Let go of both ends."""
        self.pipe.close()
        self._other.close()


def rehearse() -> None:
    """Live through a task of each common kind."""
    secrets_masker()
    # Somebody else's XCom backend would really store what the tasks return.
    pushes = {"do_xcom_push": not is_foreign_backend()}
    with DAG("rehearsal", schedule=None, start_date=_LONG_AGO, default_args=pushes) as dag:
        python = PythonOperator(task_id="python", python_callable=_say, op_kwargs={"what": "{{ ds }} {{ run_id }}"})
        BashOperator(task_id="bash", bash_command="true")
        _decorate("decorated")("{{ logical_date }}")
        _decorate("mapped").expand(what=python.output)
    imported = ImportedFile(DagFile("rehearsal", "", "rehearsal"), {dag.dag_id: dag})
    with _unnoticed(), suppress(Exception):
        for task_id in ("bash", *_OFTEN * ("python", "decorated", "mapped")):
            _live(imported, task_id)


@contextmanager
def _unnoticed() -> Iterator[None]:
    """Take back what belongs to the process of a task and not to what it is forked from."""
    title, level = setproctitle.getproctitle(), logging.root.manager.disable
    environ = dict(os.environ)  # noqa: TID251 - put back as it was
    runtime = set_process_runtime(cast("Runtime", None))
    logging.disable(logging.CRITICAL)
    try:
        yield
    finally:
        logging.disable(level)
        CAPTURE.disconnect()
        obey_no_more()
        set_process_runtime(runtime)
        for name in os.environ.keys() - environ.keys():  # noqa: TID251
            del os.environ[name]  # noqa: TID251
        os.environ.update(environ)  # noqa: TID251
        setproctitle.setproctitle(title)


def _decorate(task_id: str) -> Any:
    # As authors write it, so that the names it goes through are loaded.
    return import_module("airflow.sdk").task(task_id=task_id)(_say)


def _say(what: str) -> list[str]:
    return [what]


def _live(imported: ImportedFile, task_id: str) -> None:
    map_index = 0 if task_id == "mapped" else -1
    assignment = Assignment(id=UUID(int=0), task_id=task_id, dag_run=_RUN, started_at=_LONG_AGO, map_index=map_index)
    line = _Line(assignment)
    try:
        carry_out(imported, received(line.pipe), line.pipe, PipeRuntime(line))
    finally:
        line.close()
