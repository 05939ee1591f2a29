"""`tradewind partitions`: what runs are about."""

from typing import TYPE_CHECKING, Annotated

import typer

from tradewind.cli.clear_tasks import read_choice
from tradewind.cli.deferred import Deferred
from tradewind.cli.deployment import load_settings, wired
from tradewind.cli.groups import make_group
from tradewind.cli.output import instant_text

if TYPE_CHECKING:
    from tradewind.operations import clear_partitions, structures
else:
    clear_partitions = Deferred("tradewind.operations.clear_partitions")
    structures = Deferred("tradewind.operations.structures")

app = make_group()


@app.callback()
def _group() -> None:
    """What runs are about. (With it, the one command keeps its name.)"""


@app.command("clear", help="let runs be about no partition any more")
def _clear(
    dag_id: Annotated[str, typer.Option("--dag-id", "-d", help="the DAG")],
    partition_key: Annotated[
        str | None, typer.Option("--partition-key", "-k", metavar="KEY", help="all runs about this partition")
    ] = None,
    run_id: Annotated[str | None, typer.Option("--run-id", "-r", help="this run")] = None,
    start_date: Annotated[
        str | None, typer.Option("--start-date", "-s", metavar="DATE", help="partitions of this date and later")
    ] = None,
    end_date: Annotated[
        str | None, typer.Option("--end-date", "-e", metavar="DATE", help="partitions of this date and earlier")
    ] = None,
    date: Annotated[
        str | None, typer.Option("--date", metavar="FROM~TO", help="both dates, such as 2026-01-01~2026-01-31")
    ] = None,
    clear_task_instances: Annotated[
        bool, typer.Option("--clear-task-instances", help="also let all tasks of these runs run again")
    ] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="only tell which runs it would be")] = False,
) -> None:
    """Let runs be about no partition any more, so that others can be made for it.

    Dates are readings of the clock of the DAG's timetable; both are included.
    """
    start, end = _dates(start_date, end_date, date)
    if sum((run_id is not None, partition_key is not None, (start or end) is not None)) != 1:
        raise typer.BadParameter("give one of --run-id, --partition-key, --date, and --start-date with --end-date")
    settings = load_settings()
    choice = read_choice(settings, partition_key, start, end, run_id)
    known = structures.Structures()
    with wired(settings) as wiring:
        now = wiring.clock.now()
        cleared = wiring.database.transact(
            lambda tx: clear_partitions.clear_partitions(
                tx, dag_id, choice, known, now, clears_tasks=clear_task_instances, is_dry=dry_run
            )
        )
    for run in cleared.runs:
        of_date = "" if run.partition_date is None else f" of {instant_text(run.partition_date)}"
        typer.echo(f"{run.run_id}: was about partition {run.partition_key}{of_date}")
    are = "would be" if dry_run else "are"
    typer.echo(f"{len(cleared.runs)} runs {are} about no partition any more")
    if clear_task_instances:
        typer.echo(f"{cleared.tasks} task instances {are} cleared")


def _dates(start: str | None, end: str | None, both: str | None) -> tuple[str | None, str | None]:
    """From when to when."""
    if both is None:
        return start, end
    if start is not None or end is not None:
        raise typer.BadParameter("--date says the same as --start-date and --end-date: give one or the other")
    first, _, last = (part.strip() for part in both.partition("~"))
    if not first or not last:
        raise typer.BadParameter(f"{both!r} is not of the form FROM~TO, such as 2026-01-01~2026-01-31")
    return first, last
