"""`tradewind dags test`: a DAG run once, in this process."""

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tradewind.cli import dag_sources
from tradewind.cli.deferred import Deferred
from tradewind.cli.deployment import load_settings
from tradewind.cli.graphs import Graph, as_dot, as_svg, as_tree
from tradewind.cli.options import BundleNames, DagId
from tradewind.cli.output import Output, write_rows

if TYPE_CHECKING:
    from tradewind.operations import find_run
    from tradewind.testing import by_hand
    from tradewind.testing.result import RunResult
else:
    by_hand = Deferred("tradewind.testing.by_hand")
    find_run = Deferred("tradewind.operations.find_run")


def try_dag(
    dag_id: DagId,
    logical_date: Annotated[
        str | None, typer.Argument(metavar="LOGICAL_DATE", help="of the run; by default now")
    ] = None,
    bundle_name: BundleNames = None,
    conf: Annotated[str | None, typer.Option("--conf", "-c", metavar="JSON", help="what the run is given")] = None,
    dagfile_path: Annotated[
        Path | None,
        typer.Option("--dagfile-path", "-f", exists=True, dir_okay=False, help="the file that has the DAG"),
    ] = None,
    mark_success_pattern: Annotated[
        str | None,
        typer.Option(metavar="REGEX", help="tasks whose whole id matches succeed without being executed"),
    ] = None,
    show_dagrun: Annotated[
        bool, typer.Option("--show-dagrun", help="show the DAG with the states of its tasks")
    ] = False,
    save_dagrun: Annotated[Path | None, typer.Option(metavar="FILE", help="write that to a file: .svg or .dot")] = None,
    _use_executor: Annotated[
        bool, typer.Option("--use-executor", help="accepted for Airflow's scripts: tasks run in this process")
    ] = False,
) -> None:
    """Run a DAG once, in this process, without a scheduler or a trace in the database. Fails if the run does."""
    if save_dagrun is not None and save_dagrun.suffix not in (".svg", ".dot"):
        raise typer.BadParameter(f"{save_dagrun} ends neither in .svg nor in .dot", param_hint="--save-dagrun")
    _refuse_what_is_no_pattern(mark_success_pattern)
    settings = load_settings()
    zone = settings.core.default_timezone
    how = by_hand.HandRun(
        logical_date=None if logical_date is None else find_run.read_instant(logical_date, zone),
        conf=read_object(conf, "--conf"),
        mark_success_pattern=mark_success_pattern,
    )
    dag = dag_sources.load_dag(settings, dag_id, bundle_name, dagfile_path)
    dag_sources.add_stored_secrets(settings, how)
    result = by_hand.run_dag_by_hand(dag, how)
    write_result(result)
    graph = _graph(dag, result)
    if show_dagrun:
        typer.echo(as_tree(graph))
    if save_dagrun is not None:
        save_dagrun.write_text((as_svg if save_dagrun.suffix == ".svg" else as_dot)(graph), encoding="utf-8")
    if not result.is_success:
        raise typer.Exit(1)


def _refuse_what_is_no_pattern(text: str | None) -> None:
    try:
        re.compile(text or "")
    except re.error as error:
        why = f"{text!r} is no regular expression: {error}"
        raise typer.BadParameter(why, param_hint="--mark-success-pattern") from None


def write_result(result: "RunResult") -> None:
    """What became of each task."""
    rows = [
        {
            "task": task.name,
            "state": "none" if task.state is None else task.state.value,
            "tries": task.try_number,
            "duration_s": round(task.duration.total_seconds(), 3),
            "reason": task.reason,
        }
        for task in result
    ]
    write_rows(rows, Output.TABLE, when_empty="the DAG has no task")
    typer.echo(f"run {result.run_id} of DAG {result.dag_id}: {result.state.value}")


def read_object(text: str | None, option: str) -> dict[str, Any] | None:
    """A JSON object that was given as an option."""
    if text is None:
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise typer.BadParameter(f"is no JSON: {error}", param_hint=option) from None
    if not isinstance(value, dict):
        raise typer.BadParameter("must be a JSON object, such as {}", param_hint=option)
    return value


def _graph(dag: Any, result: "RunResult") -> Graph:
    """Copies of a mapped task are one node, with all states that they have."""
    states: dict[str, dict[str, None]] = {}
    for task in result:
        states.setdefault(task.task_id, {})["none" if task.state is None else task.state.value] = None
    names = {task_id: f"{task_id} [{', '.join(states.get(task_id, ()))}]" for task_id in dag.task_ids}
    edges = [(names[up], names[task.task_id]) for task in dag.tasks for up in sorted(task.upstream_task_ids)]
    return Graph(f"{result.dag_id} {result.run_id}", list(names.values()), edges)
