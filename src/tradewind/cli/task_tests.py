"""`tradewind tasks test` and `render`: one task in this process."""

from importlib import import_module
from typing import TYPE_CHECKING, Annotated

import typer

from tradewind.cli import dag_sources
from tradewind.cli.dag_tests import read_object, write_result
from tradewind.cli.deferred import Deferred
from tradewind.cli.deployment import load_settings
from tradewind.cli.options import BundleNames, DagId, MapIndex, OutputFormat, RunOrDate
from tradewind.cli.output import Output, write_rows
from tradewind.errors import CheckFailed, NotFound
from tradewind.model.ids import UNMAPPED

if TYPE_CHECKING:
    from tradewind import settings as configuration
    from tradewind.testing import by_hand
    from tradewind.testing.result import RunResult, TaskResult
else:
    by_hand = Deferred("tradewind.testing.by_hand")
    configuration = Deferred("tradewind.settings")

TaskId = Annotated[str, typer.Argument(help="the task")]


def try_task(
    dag_id: DagId,
    task_id: TaskId,
    run: Annotated[
        str | None,
        typer.Argument(metavar="LOGICAL_DATE_OR_RUN_ID", help="a run, from which it gets what others returned"),
    ] = None,
    bundle_name: BundleNames = None,
    map_index: MapIndex = UNMAPPED,
    task_params: Annotated[
        str | None, typer.Option("--task-params", "-t", metavar="JSON", help="params for this task")
    ] = None,
    env_vars: Annotated[str | None, typer.Option(metavar="JSON", help="variables of its environment")] = None,
    post_mortem: Annotated[bool, typer.Option("--post-mortem", "-m", help="open the debugger where it failed")] = False,
) -> None:
    """Run one task once, in this process, whatever became of those before it, without a trace in the database.

    Fails if the task does. It is not tried again.
    """
    environment = read_object(env_vars, "--env-vars") or {}
    configuration.add_to_environment({str(name): str(value) for name, value in environment.items()})
    which = by_hand.HandTask(
        task_id=task_id, map_index=map_index, params=read_object(task_params, "--task-params") or {}
    )
    result = _run(dag_id, which, run, bundle_name)
    write_result(_only(result, task_id))
    _refuse_unknown_copies(result, task_id, map_index)
    failed = [task for task in _wanted(result, task_id, map_index) if task.error is not None]
    if failed and post_mortem:
        # Named so that nothing that looks for forgotten debuggers takes it for one.
        import_module("pdb").post_mortem(failed[0].error.__traceback__ if failed[0].error else None)
    if failed or not result.is_success:
        raise typer.Exit(1)


def render(
    dag_id: DagId,
    task_id: TaskId,
    run: RunOrDate,
    bundle_name: BundleNames = None,
    map_index: MapIndex = UNMAPPED,
    output: OutputFormat = Output.PLAIN,
) -> None:
    """Show the template fields of a task as they would be in a run. Nothing is executed."""
    which = by_hand.HandTask(task_id=task_id, map_index=map_index, is_rendered_only=True)
    result = _run(dag_id, which, run, bundle_name)
    _refuse_unknown_copies(result, task_id, map_index)
    task = _wanted(result, task_id, map_index)[0]
    if task.error is not None:
        raise CheckFailed(f"the fields of task {task_id!r} cannot be rendered: {task.error}")
    if output is not Output.PLAIN:
        write_rows([{"field": name, "value": value} for name, value in task.rendered.items()], output)
        return
    for name, value in task.rendered.items():
        typer.echo(f"# ----- {name}\n{value}\n")


def _run(dag_id: str, which: "by_hand.HandTask", run: str | None, bundle_names: list[str] | None) -> "RunResult":
    settings = load_settings()
    dag = dag_sources.load_dag(settings, dag_id, bundle_names)
    which.outputs, how = dag_sources.stored_outputs(settings, dag_id, run)
    dag_sources.add_stored_secrets(settings, how)
    return by_hand.run_task_by_hand(dag, which, how)


def _wanted(result: "RunResult", task_id: str, map_index: int) -> "list[TaskResult]":
    return [task for task in result if task.task_id == task_id and map_index in (UNMAPPED, task.map_index)]


def _refuse_unknown_copies(result: "RunResult", task_id: str, map_index: int) -> None:
    if any(task.attempts for task in _wanted(result, task_id, map_index)):
        return
    which = "copies" if map_index == UNMAPPED else f"copy with map index {map_index}"
    raise NotFound(f"task {task_id!r} has no {which}: name a run in which the task that it is mapped over has ended")


def _only(result: "RunResult", task_id: str) -> "RunResult":
    return type(result)(result.run, {name: task for name, task in result.tasks.items() if task.task_id == task_id})
