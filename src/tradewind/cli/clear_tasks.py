"""`tradewind tasks clear` and `dags clear`: let task instances run again."""

from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from tradewind.cli.deferred import Deferred
from tradewind.cli.deployment import load_settings, wired
from tradewind.cli.options import BundleNames, DagId, EndDate, StartDate, Yes

if TYPE_CHECKING:
    from tradewind.operations import clear_partitions, clear_tasks, list_runs, match_dags, select_tasks, structures
    from tradewind.operations import find_run as finding
    from tradewind.operations.choose_tasks import Selection
    from tradewind.settings import Settings
    from tradewind.storage.interface import Transaction
else:
    clear_partitions = Deferred("tradewind.operations.clear_partitions")
    clear_tasks = Deferred("tradewind.operations.clear_tasks")
    finding = Deferred("tradewind.operations.find_run")
    list_runs = Deferred("tradewind.operations.list_runs")
    match_dags = Deferred("tradewind.operations.match_dags")
    select_tasks = Deferred("tradewind.operations.select_tasks")
    structures = Deferred("tradewind.operations.structures")


def command(
    dag_id: DagId,
    task_regex: Annotated[
        str | None, typer.Option("--task-regex", "-t", metavar="REGEX", help="only tasks in whose ids this is found")
    ] = None,
    run_id: Annotated[list[str] | None, typer.Option("--run-id", help="only this run; may be repeated")] = None,
    start_date: StartDate = None,
    end_date: EndDate = None,
    upstream: Annotated[bool, typer.Option("--upstream", "-u", help="with all tasks before them")] = False,
    downstream: Annotated[bool, typer.Option("--downstream", "-d", help="with all tasks after them")] = False,
    only_failed: Annotated[bool, typer.Option("--only-failed", "-f", help="only what failed")] = False,
    only_running: Annotated[bool, typer.Option("--only-running", "-r", help="only what runs")] = False,
    _bundle_name: BundleNames = None,
    dag_regex: Annotated[bool, typer.Option("--dag-regex", "-R", help="DAG_ID is a regular expression")] = False,
    yes: Yes = False,
) -> None:
    """Let task instances run again, in all runs unless some are named."""
    settings = load_settings()
    zone = settings.core.default_timezone
    wanted = select_tasks.TaskFilter(
        list_runs.RunFilter(
            since=None if start_date is None else finding.read_instant(start_date, zone),
            until=None if end_date is None else finding.read_instant(end_date, zone),
        ),
        tuple(run_id or ()),
        task_regex,
        upstream=upstream,
        downstream=downstream,
        only_failed=only_failed,
        only_running=only_running,
    )
    _clear(settings, dag_id, wanted, is_pattern=dag_regex, yes=yes)


def clear_runs(
    dag_id: DagId,
    run_id: Annotated[list[str] | None, typer.Option("--run-id", help="this run; may be repeated")] = None,
    partition_key: Annotated[
        str | None, typer.Option("--partition-key", metavar="KEY", help="all runs about this partition")
    ] = None,
    partition_date_start: Annotated[
        str | None,
        typer.Option("--partition-date-start", metavar="DATE", help="all runs about partitions of this date and later"),
    ] = None,
    partition_date_end: Annotated[
        str | None,
        typer.Option("--partition-date-end", metavar="DATE", help="all runs about partitions of this date and earlier"),
    ] = None,
    only_failed: Annotated[bool, typer.Option("--only-failed", "-f", help="only tasks that failed")] = False,
    only_running: Annotated[bool, typer.Option("--only-running", "-r", help="only tasks that run")] = False,
    yes: Yes = False,
) -> None:
    """Let all tasks of runs run again.

    Runs are chosen by their ids, by their partition, or by the date of their partition, as the clock of the DAG's
    timetable reads it; both dates are included.
    """
    settings = load_settings()
    has_dates = partition_date_start is not None or partition_date_end is not None
    if sum((bool(run_id), partition_key is not None, has_dates)) != 1:
        raise typer.BadParameter(
            "give one of --run-id, --partition-key, and --partition-date-start with --partition-date-end"
        )
    run_ids = tuple(run_id or ())
    if not run_ids:
        choice = read_choice(settings, partition_key, partition_date_start, partition_date_end)
        run_ids = _runs_of_partitions(settings, dag_id, choice)
    wanted = select_tasks.TaskFilter(list_runs.RunFilter(), run_ids, only_failed=only_failed, only_running=only_running)
    _clear(settings, dag_id, wanted, is_pattern=False, yes=yes)


def read_choice(
    settings: "Settings", key: str | None, start: str | None, end: str | None, run_id: str | None = None
) -> "clear_partitions.PartitionChoice":
    """Which runs are meant. Raises `InvalidRequest`."""
    zone = settings.core.default_timezone
    return clear_partitions.PartitionChoice(
        key,
        None if start is None else finding.read_instant(start, zone),
        None if end is None else finding.read_instant(end, zone),
        run_id,
    )


def _runs_of_partitions(
    settings: "Settings", dag_id: str, choice: "clear_partitions.PartitionChoice"
) -> tuple[str, ...]:
    with wired(settings) as wiring:
        run_ids = wiring.database.read(
            lambda tx: clear_partitions.chosen_runs(tx, dag_id, choice, structures.Structures())
        )
    if not run_ids:
        typer.echo("no run is about such a partition")
        raise typer.Exit
    return tuple(run_ids)


def _clear(
    settings: "Settings", dag_id: str, wanted: "select_tasks.TaskFilter", *, is_pattern: bool, yes: bool
) -> None:
    known = structures.Structures()
    with wired(settings) as wiring:
        now = wiring.clock.now()

        def select(tx: "Transaction") -> "list[Selection]":
            return select_tasks.select_tasks(
                tx, match_dags.match_dags(tx, dag_id, is_pattern=is_pattern), wanted, known
            )

        chosen = wiring.database.transact(select)
        if not yes:
            _confirm(wiring.database.transact(lambda tx: select_tasks.name_chosen(tx, chosen, known)))
        count = 0
        for selection in chosen:  # each on its own: locks of runs of one DAG must not precede that of another
            clear = partial(clear_tasks.clear_tasks, selection=selection, structures=known, now=now)
            count += len(wiring.database.transact(clear))
    typer.echo(f"{count} task instances cleared")


def _confirm(names: list[tuple[str, str, str]]) -> None:
    if not names:
        typer.echo("nothing to clear")
        raise typer.Exit
    typer.echo("\n".join(" ".join(name) for name in names))
    typer.confirm(f"Clear these {len(names)} task instances?", abort=True)
