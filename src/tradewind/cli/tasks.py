"""`tradewind tasks`: what became of the tasks of a run."""

import json
import sys
from collections.abc import Iterator
from enum import StrEnum
from itertools import chain
from typing import TYPE_CHECKING, Annotated, Final

import typer

from tradewind.cli import clear_tasks, task_states, task_tests
from tradewind.cli.deferred import Deferred
from tradewind.cli.deployment import load_settings, wired
from tradewind.cli.groups import make_group
from tradewind.cli.options import LARGEST, DagId, MapIndex, RunOrDate
from tradewind.model.ids import UNMAPPED
from tradewind.model.states import FINISHED_STATES, TaskState

if TYPE_CHECKING:
    from tradewind import bootstrap, compat
    from tradewind.bootstrap import Wiring
    from tradewind.model.task import TaskInstance
    from tradewind.operations import find_run, find_task, last_word
    from tradewind.task_logs import lines, places, text
    from tradewind.task_logs.lines import Message
else:
    bootstrap = Deferred("tradewind.bootstrap")
    compat = Deferred("tradewind.compat")
    find_run = Deferred("tradewind.operations.find_run")
    find_task = Deferred("tradewind.operations.find_task")
    last_word = Deferred("tradewind.operations.last_word")
    lines = Deferred("tradewind.task_logs.lines")
    places = Deferred("tradewind.task_logs.places")
    text = Deferred("tradewind.task_logs.text")


app = make_group()
app.command("list", help="list the tasks of a DAG")(task_states.list_)
app.command("state", help="tell the state of a task instance")(task_states.state)
app.command("states-for-dag-run", help="list the states of all task instances of a run")(task_states.states_for_dag_run)
app.command("failed-deps", help="tell why a task instance does not run")(task_states.failed_deps)
app.command("explain", help="tell why a task instance does not run")(task_states.explain_)
app.command("test", help="run one task once, in this process")(task_tests.try_task)
app.command("render", help="show the template fields of a task as they would be in a run")(task_tests.render)
app.command("clear", help="let task instances run again, in all runs unless some are named")(clear_tasks.command)

_LOOK_AGAIN_S: Final = 0.2


class LogOutput(StrEnum):
    """How a log is written."""

    PLAIN = "plain"
    JSON = "json"


@app.command("logs", help="show what a try of a task logged and printed")
def _logs(
    dag_id: DagId,
    task_id: task_states.TaskId,
    run: RunOrDate,
    map_index: MapIndex = UNMAPPED,
    try_number: Annotated[int | None, typer.Option(min=1, max=LARGEST, help="by default the newest")] = None,
    follow: Annotated[bool, typer.Option("--follow", "-f", help="go on until the try is over")] = False,
    output: Annotated[
        LogOutput, typer.Option("--output", "-o", help="json: one object in each line")
    ] = LogOutput.PLAIN,
) -> None:
    settings = load_settings()
    if settings.logging.remote_log_conn_id and settings.secrets.backend:
        compat.install()  # secrets backends are Airflow's classes, or subclasses of them
    with wired(settings) as wiring:
        zone = settings.core.default_timezone
        run_id = wiring.database.read(lambda tx: find_run.find_run(tx, dag_id, run, zone)).run_id
        task = _task(wiring, dag_id, run_id, task_id, map_index)
        of = places.Try(dag_id, run_id, task_id, map_index, try_number or max(task.try_number, 1))
        has_messages = False
        for message in chain(_messages(wiring, of, follow=follow), _last_words(wiring, of)):
            has_messages = True
            typer.echo(_shown(message, output))
    if not has_messages:
        typer.echo(f"there is no log of try {of.number} of task {task_id!r}", err=True)
        raise typer.Exit(1)


def _messages(wiring: "Wiring", of: "places.Try", *, follow: bool) -> "Iterator[Message]":
    reader = bootstrap.make_log_reader(wiring)
    if not follow:
        return reader.all(of)
    return reader.follow(
        of,
        is_over=lambda: _is_over(_task(wiring, of.dag_id, of.run_id, of.task_id, of.map_index), of.number),
        wait=lambda: wiring.clock.sleep(_LOOK_AGAIN_S),
    )


def _last_words(wiring: "Wiring", of: "places.Try") -> "Iterator[Message]":
    """Why it ended, if whoever watched over it did not live to write that."""
    task = _task(wiring, of.dag_id, of.run_id, of.task_id, of.map_index)
    if _is_over(task, of.number):
        word = wiring.database.transact(lambda tx: last_word.last_word(tx, task, of.number))
        if word is not None:
            yield lines.engine_message(word.at, f"The try ended: {word.reason}")


def _task(wiring: "Wiring", dag_id: str, run_id: str, task_id: str, map_index: int) -> "TaskInstance":
    return wiring.database.transact(lambda tx: find_task.find_task(tx, dag_id, run_id, task_id, map_index=map_index))


def _is_over(task: "TaskInstance", try_number: int) -> bool:
    if task.try_number == try_number:
        return task.state in FINISHED_STATES | {TaskState.UP_FOR_RETRY, TaskState.NONE}
    return task.try_number > try_number or task.state in FINISHED_STATES


def _shown(message: "Message", output: LogOutput) -> str:
    if output is LogOutput.JSON:
        return json.dumps(message, ensure_ascii=False)
    return text.as_text(message, has_colours=sys.stdout.isatty())
