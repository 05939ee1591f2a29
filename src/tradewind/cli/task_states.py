"""`tradewind tasks`: what tasks a DAG has, how they stand, and why they wait."""

from typing import TYPE_CHECKING, Annotated

import typer

from tradewind.cli.dag_schedule import write_reasons
from tradewind.cli.deferred import Deferred
from tradewind.cli.deployment import load_settings, wired
from tradewind.cli.options import BundleNames, DagId, MapIndex, OutputFormat, RunOrDate
from tradewind.cli.output import Output, instant_text, write_rows
from tradewind.errors import DagUnusable, UnknownDag, UnknownTask
from tradewind.model.ids import UNMAPPED

if TYPE_CHECKING:
    from tradewind.decide.explain import Reason
    from tradewind.model.run import Run
    from tradewind.model.task import TaskInstance
    from tradewind.operations import explain, structures
    from tradewind.operations import find_run as finding
    from tradewind.storage.interface import Transaction
else:
    explain = Deferred("tradewind.operations.explain")
    finding = Deferred("tradewind.operations.find_run")
    structures = Deferred("tradewind.operations.structures")


TaskId = Annotated[str, typer.Argument(help="the task")]

_MB = 1_000_000


def list_(dag_id: DagId, _bundle_name: BundleNames = None) -> None:
    """List the tasks of a DAG."""

    def work(tx: "Transaction") -> list[str]:
        record = tx.dags.find(dag_id)
        if record is None:
            raise UnknownDag(dag_id)
        if record.version_key is None:
            raise DagUnusable(dag_id, "it was never parsed")
        return sorted(task.task_id for task in structures.Structures().get(tx, record.version_key).tasks)

    with wired(load_settings()) as wiring:
        names = wiring.database.transact(work)
    typer.echo("\n".join(names))


def state(
    dag_id: DagId, task_id: TaskId, run: RunOrDate, _bundle_name: BundleNames = None, map_index: MapIndex = UNMAPPED
) -> None:
    """Tell the state of a task instance."""
    _, instances = _instances(dag_id, run, task_id)
    found = next((task for task in instances if task.map_index == map_index), None)
    if found is None:
        raise UnknownTask(dag_id, task_id, map_index if instances else None)
    typer.echo(found.state)


def states_for_dag_run(dag_id: DagId, run: RunOrDate, output: OutputFormat = Output.TABLE) -> None:
    """List the states of all task instances of a run."""
    found, instances = _instances(dag_id, run)
    has_mapped = any(task.map_index != UNMAPPED for task in instances)
    write_rows([_row(found, task, has_mapped=has_mapped) for task in instances], output)


def failed_deps(
    dag_id: DagId, task_id: TaskId, run: RunOrDate, _bundle_name: BundleNames = None, map_index: MapIndex = UNMAPPED
) -> None:
    """Tell why a task instance does not run."""
    explain_(dag_id, task_id, run, map_index=map_index)


def explain_(
    dag_id: DagId,
    task_id: TaskId,
    run: RunOrDate,
    _bundle_name: BundleNames = None,
    map_index: MapIndex = UNMAPPED,
    output: OutputFormat = Output.PLAIN,
) -> None:
    """Tell why a task instance does not run, in the order in which the reasons have to go away."""
    settings = load_settings()
    with wired(settings) as wiring:
        now = wiring.clock.now()

        def work(tx: "Transaction") -> "list[Reason]":
            found = finding.find_run(tx, dag_id, run, settings.core.default_timezone)
            return explain.why_task_waits(
                tx, dag_id, found.run_id, task_id, structures.Structures(), now, map_index=map_index
            )

        reasons = wiring.database.read(work)
    write_reasons(dag_id, [(task_id, reasons)], output)


def _instances(dag_id: str, run: str, task_id: str | None = None) -> "tuple[Run, list[TaskInstance]]":
    settings = load_settings()

    def work(tx: "Transaction") -> "tuple[Run, list[TaskInstance]]":
        found = finding.find_run(tx, dag_id, run, settings.core.default_timezone)
        return found, tx.tasks.instances(found.key, None if task_id is None else [task_id])

    with wired(settings) as wiring:
        return wiring.database.transact(work)


def _row(run: "Run", task: "TaskInstance", *, has_mapped: bool) -> dict[str, object]:
    return {
        "dag_id": run.dag_id,
        "logical_date": instant_text(run.logical_date),
        "task_id": task.task_id,
        **({"map_index": task.map_index} if has_mapped else {}),
        "state": task.state,
        "start_date": instant_text(task.started_at),
        "end_date": instant_text(task.finished_at),
        "try_number": task.try_number,
        "cpu_s": None if task.cpu_s is None else round(task.cpu_s, 3),
        "peak_memory_mb": None if task.peak_memory_bytes is None else round(task.peak_memory_bytes / _MB, 1),
        "reason": task.reason,
    }
