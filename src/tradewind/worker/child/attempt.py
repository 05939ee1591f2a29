"""The life of a child: one attempt of one task."""

import gc
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Final, NoReturn, cast

import msgspec
import setproctitle

from tradewind.model.assignment import Assignment
from tradewind.runtime.kill_first import be_killed_first
from tradewind.runtime.subreaper import become_subreaper
from tradewind.sdk.dags import DAG
from tradewind.sdk.lineage import reset_lineage
from tradewind.sdk.runtime import Runtime, set_process_runtime
from tradewind.sdk.secrets_masker import redact_known
from tradewind.sdk.stats import Stats
from tradewind.sdk.task_clock import current_clock
from tradewind.worker.child.dag_file import ImportedFile, import_file
from tradewind.worker.child.ended import ended, failed
from tradewind.worker.child.metrics import TaskMetrics
from tradewind.worker.child.output import CAPTURE
from tradewind.worker.child.pipe import Pipe, SupervisorGone
from tradewind.worker.child.pipe_runtime import PipeRuntime
from tradewind.worker.child.structlog_records import join_structlog
from tradewind.worker.child.termination import obey_termination
from tradewind.worker.protocol import DagFile, FrameKind
from tradewind.worker.task_life.life import TaskLife
from tradewind.worker.task_life.time_limit import alarm

log = logging.getLogger(__name__)

_decode_assignment: Final = msgspec.json.Decoder(Assignment).decode


def live(imported: ImportedFile, stream: int, output: int, errors: int) -> NoReturn:
    """A child that was forked from a zygote, from its first to its last moment. It returns to nobody."""
    exit_code = os.EX_SOFTWARE
    try:
        pipe = _settle(stream, output, errors)
        carry_out(imported, received(pipe), pipe, PipeRuntime(pipe))
        exit_code = os.EX_OK
    except SupervisorGone:
        pass  # nobody to tell, and nobody who would want to know
    finally:
        os._exit(exit_code)


def live_alone(file: DagFile, stream: int, output: int, errors: int) -> NoReturn:
    """A child that was forked from the nursery, and imports its file by itself."""
    exit_code = os.EX_SOFTWARE
    try:
        pipe = _settle(stream, output, errors)
        # Before the file asks for anything: whoever waits for an answer passes over all else.
        assignment = received(pipe)
        runtime = PipeRuntime(pipe)
        imported = import_file(file, cast("Runtime", runtime))
        CAPTURE.install()
        join_structlog()
        carry_out(imported, assignment, pipe, runtime)
        exit_code = os.EX_OK
    except SupervisorGone:
        pass
    finally:
        os._exit(exit_code)


def _settle(stream: int, output: int, errors: int) -> Pipe:
    """Become a process of its own: its session and group, its own output, nothing of its parent's."""
    os.setsid()
    become_subreaper()
    be_killed_first()
    nothing = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((nothing, 0), (output, 1), (errors, 2)):
        os.dup2(source, target)
        os.close(source)
    obey_termination()
    gc.enable()
    return Pipe(stream)


def carry_out(imported: ImportedFile, assignment: Assignment, pipe: Pipe, runtime: PipeRuntime) -> None:
    """Live the attempt through, and tell the supervisor all about it. The whole process is the attempt's."""
    run = assignment.dag_run
    setproctitle.setproctitle(f"tradewind: {run.dag_id}.{assignment.task_id}")
    runtime.tell_secrets()  # those that the DAG file has named already
    reset_lineage()
    set_process_runtime(cast("Runtime", runtime))
    CAPTURE.connect(pipe.send_frame)
    tell = partial(pipe.send, FrameKind.METRICS)
    metrics = TaskMetrics(tell) if imported.file.keeps_metrics else None
    Stats.set_sink(metrics)
    try:
        dag = imported.dags.get(run.dag_id)
        problem = _problem(imported, dag, assignment)
        if problem:
            log.error("%s", imported.error or problem)
            pipe.send(FrameKind.ENDED, failed(redact_known(problem), current_clock().now()))
        elif dag is not None:
            _live(imported, dag, assignment, pipe, runtime)
    finally:
        if metrics is not None:
            metrics.flush()
        CAPTURE.finish()


def received(pipe: Pipe) -> Assignment:
    """What is to be done."""
    while True:
        kind, content = pipe.receive()
        if kind == FrameKind.ORDER:
            return _decode_assignment(content)


def _problem(imported: ImportedFile, dag: DAG | None, assignment: Assignment) -> str:
    """Why the attempt cannot even begin."""
    if imported.error:
        last_line = imported.error.strip().rpartition("\n")[2]
        return f"the DAG file cannot be imported: {last_line}"
    if dag is None:
        return f"the DAG file {imported.file.path} has no DAG {assignment.dag_run.dag_id!r} any more"
    if assignment.task_id not in dag.task_dict:
        return f"DAG {dag.dag_id!r} has no task {assignment.task_id!r} any more"
    return ""


@contextmanager
def _limit(pipe: Pipe, seconds: float, of_s: float) -> Iterator[None]:
    """Also known to the supervisor: code that Python cannot interrupt is killed a little later."""
    pipe.send(FrameKind.TIME_LIMIT, seconds)
    with alarm(seconds, of_s):
        yield
    pipe.send(FrameKind.TIME_LIMIT, 0)


def _live(imported: ImportedFile, dag: DAG, assignment: Assignment, pipe: Pipe, runtime: PipeRuntime) -> None:
    life = TaskLife(
        dag,
        assignment,
        cast("Runtime", runtime),
        environment=os.environ,  # noqa: TID251 - programs that the task starts find there whose they are
        limit=partial(_limit, pipe),
        listeners=imported.listeners,
        clears_state=imported.clears_state,
    )
    obey_termination(life)
    outcome = life.run()
    _report(pipe, ended(outcome, current_clock().now()))
    life.finish(outcome)


def _report(pipe: Pipe, message: msgspec.Struct) -> None:
    try:
        pipe.send(FrameKind.ENDED, message)
    except (TypeError, ValueError, OverflowError) as error:
        reason = f"what the task said about its assets or its trigger cannot be stored: {error}"
        log.exception("%s", reason)
        pipe.send(FrameKind.ENDED, failed(reason, current_clock().now()))
