"""`tradewind db clean`: delete what ended long ago, and keep copies of it for as long as somebody wants them."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Final

import typer

from tradewind.cli.db_archives import split_names
from tradewind.cli.deferred import Deferred
from tradewind.cli.deployment import load_settings, wired
from tradewind.cli.options import LARGEST, Yes
from tradewind.cli.progress import shown_progress
from tradewind.errors import DatabaseError

if TYPE_CHECKING:
    from tradewind.bootstrap import Wiring
    from tradewind.operations import find_run, prune_history
    from tradewind.storage.interface import pruning_store
else:
    find_run = Deferred("tradewind.operations.find_run")
    prune_history = Deferred("tradewind.operations.prune_history")
    pruning_store = Deferred("tradewind.storage.interface.pruning_store")

_BY_DEFAULT: Final = ("dag_run", "dag_version", "asset_event", "job", "connection_test_request")
TABLES: Final = (*_BY_DEFAULT, "log")
"""The audit log is only cleaned by its name: it is there to stay."""
_WITH_RUNS: Final = frozenset(
    {
        "deadline",
        "rendered_task_instance_fields",
        "task_instance",
        "task_instance_history",
        "task_reschedule",
        "task_state_store",
        "trigger",
        "xcom",
    }
)


def command(
    clean_before_timestamp: Annotated[
        str, typer.Option("--clean-before-timestamp", metavar="DATE", help="delete what ended before")
    ],
    tables: Annotated[
        str | None,
        typer.Option("--tables", "-t", metavar="NAMES", help=f"some of {', '.join(TABLES)}, with commas between them"),
    ] = None,
    dag_ids: Annotated[str | None, typer.Option(metavar="IDS", help="only of these DAGs, with commas")] = None,
    exclude_dag_ids: Annotated[str | None, typer.Option(metavar="IDS", help="not of these DAGs, with commas")] = None,
    batch_size: Annotated[
        int | None, typer.Option(min=1, max=LARGEST, help="how many to delete in one transaction")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="only tell how many there are")] = False,
    skip_archive: Annotated[bool, typer.Option("--skip-archive", help="keep no copies")] = False,
    error_on_cleanup_failure: Annotated[
        bool, typer.Option("--error-on-cleanup-failure", help="fail if something could not be deleted")
    ] = False,
    yes: Yes = False,
) -> None:
    """Delete runs that ended before a date, with their task instances, XComs and history, and other old records.

    Copies are kept in tables of their own, for db export-archived and db drop-archived. What has not ended stays, and
    so does the newest run of each kind of each DAG. The audit log is only cleaned if --tables names `log`.
    """
    chosen = _chosen(tables)
    settings = load_settings()
    before = find_run.read_instant(clean_before_timestamp, settings.core.default_timezone)
    choice = pruning_store.PruneChoice(before, split_names(dag_ids), split_names(exclude_dag_ids))
    with wired(settings) as wiring:
        counts = {name: _count(wiring, name, choice) for name in chosen}
        for name, count in counts.items():
            typer.echo(f"{name}: {count} to delete")
        if dry_run or not any(counts.values()):
            return
        if not yes:
            typer.confirm(
                f"Delete all this, with what belongs to it{', for ever' if skip_archive else ''}?", abort=True
            )
        archive = None if skip_archive else pruning_store.Archive(wiring.clock.now().strftime("%Y%m%d%H%M%S"))
        failed = [
            name for name, count in counts.items() if not _clean(wiring, name, choice, count, archive, batch_size)
        ]
    if failed and error_on_cleanup_failure:
        raise typer.Exit(1)


def _chosen(tables: str | None) -> Sequence[str]:
    names = split_names(tables) or _BY_DEFAULT
    for name in names:
        if name in _WITH_RUNS:
            raise typer.BadParameter(f"{name} has no age of its own: it goes with dag_run")
        if name not in TABLES:
            raise typer.BadParameter(f"nothing of the name {name!r} can be cleaned, only {', '.join(TABLES)}")
    # Versions are free to go when the runs that used them are gone.
    return [name for name in TABLES if name in names]


def _count(wiring: "Wiring", name: str, choice: "pruning_store.PruneChoice") -> int:
    what = pruning_store.Prunable(name)
    return wiring.database.read(lambda tx: prune_history.count_old(tx, what, choice))


def _clean(
    wiring: "Wiring",
    name: str,
    choice: "pruning_store.PruneChoice",
    count: int,
    archive: "pruning_store.Archive | None",
    batch_size: int | None,
) -> bool:
    """Whether all went well. A failure is told, and does not keep the rest from being cleaned."""
    if not count:
        return True
    what, size = pruning_store.Prunable(name), batch_size or prune_history.BATCH_SIZE
    now = wiring.clock.now()
    done = 0
    try:
        with _kept(wiring, what, archive), shown_progress(name, count) as advance:
            while True:
                gone = wiring.database.transact(
                    lambda tx: prune_history.prune_some(tx, what, choice, now, size, archive)
                )
                advance(gone)
                done += gone
                if gone < size:
                    break
    except DatabaseError as error:
        typer.echo(f"{name}: {done} deleted, then: {error}", err=True)
        return False
    typer.echo(f"{name}: {done} deleted")
    return True


@contextmanager
def _kept(wiring: "Wiring", what: "pruning_store.Prunable", archive: "pruning_store.Archive | None") -> Iterator[None]:
    """There are tables for copies, of which those stay that got some."""
    if archive is None:
        yield
        return
    wiring.database.transact(lambda tx: tx.archives.create(what, archive))
    try:
        yield
    finally:
        wiring.database.transact(lambda tx: prune_history.drop_unused(tx, archive))
