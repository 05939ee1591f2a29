"""`tradewind db`: the database, its schema, and how much it keeps."""

import os
import shutil
from typing import TYPE_CHECKING, Annotated

import typer

from tradewind import __version__
from tradewind.cli import db_archives, db_clean
from tradewind.cli.deferred import Deferred
from tradewind.cli.deployment import load_settings
from tradewind.cli.groups import make_group
from tradewind.cli.masked_url import masked_url
from tradewind.cli.options import LARGEST, Yes
from tradewind.errors import DatabaseUnavailable, InvalidRequest, MigrationNeeded, NotFound

if TYPE_CHECKING:
    from tradewind import bootstrap, settings
    from tradewind.runtime import clock
else:
    bootstrap = Deferred("tradewind.bootstrap")
    clock = Deferred("tradewind.runtime.clock")
    settings = Deferred("tradewind.settings")

app = make_group()
app.command("clean", help="delete what ended long ago")(db_clean.command)
app.command("export-archived", help="write what db clean kept copies of")(db_archives.export)
app.command("drop-archived", help="drop what db clean kept copies of")(db_archives.drop)

ToRevision = Annotated[str | None, typer.Option("--to-revision", "-r", metavar="REVISION", help="of the schema")]
ToVersion = Annotated[str | None, typer.Option("--to-version", "-n", metavar="VERSION", help="of Tradewind")]
FromRevision = Annotated[
    str | None, typer.Option("--from-revision", metavar="REVISION", help="where the statements shall begin")
]
FromVersion = Annotated[
    str | None, typer.Option("--from-version", metavar="VERSION", help="the same, by the version of Tradewind")
]
ShowSqlOnly = Annotated[bool, typer.Option("--show-sql-only", "-s", help="print the statements and change nothing")]
UseMigrationFiles = Annotated[
    bool, typer.Option("--use-migration-files", "-m", help="accepted for Airflow's scripts: this is always so")
]


@app.command("migrate", help="bring the schema to the newest revision, or to a given one")
def _migrate(
    to_revision: ToRevision = None,
    to_version: ToVersion = None,
    from_revision: FromRevision = None,
    from_version: FromVersion = None,
    show_sql_only: ShowSqlOnly = False,
    _use_migration_files: UseMigrationFiles = False,
) -> None:
    given = load_settings()
    end = _revision(to_revision, to_version, "to") or "head"
    start = _start(from_revision, from_version, show_sql_only=show_sql_only)
    url = given.database.sql_alchemy_conn
    if show_sql_only:
        start = start or bootstrap.current_revision(url)
        typer.echo(bootstrap.migration_sql(url, start, end, is_upgrade=True), nl=False)
        return
    given.home.mkdir(mode=0o700, parents=True, exist_ok=True)
    before = bootstrap.current_revision(url)
    bootstrap.upgrade(url, end, given.core.default_pool_task_slot_count)
    typer.echo(f"schema: {before or 'none'} → {bootstrap.current_revision(url)}")


@app.command("downgrade", help="bring the schema back to an older revision; what it has no place for is lost")
def _downgrade(
    to_revision: Annotated[
        str | None, typer.Option("--to-revision", "-r", metavar="REVISION", help='"base" removes all tables')
    ] = None,
    to_version: ToVersion = None,
    from_revision: FromRevision = None,
    from_version: FromVersion = None,
    show_sql_only: ShowSqlOnly = False,
    yes: Yes = False,
) -> None:
    end = _revision(to_revision, to_version, "to")
    if end is None:
        raise typer.BadParameter("give --to-revision or --to-version")
    start = _start(from_revision, from_version, show_sql_only=show_sql_only)
    url = load_settings().database.sql_alchemy_conn
    if show_sql_only:
        start = start or bootstrap.current_revision(url)
        typer.echo(bootstrap.migration_sql(url, start, end, is_upgrade=False), nl=False)
        return
    if not yes:
        typer.confirm(
            f"Bring the schema of {masked_url(url)} back to {end}? What it has no place for is lost", abort=True
        )
    before = bootstrap.current_revision(url)
    bootstrap.downgrade(url, end)
    typer.echo(f"schema: {before or 'none'} → {bootstrap.current_revision(url) or 'none'}")


@app.command("reset", help="delete everything, and create the schema anew")
def _reset(
    yes: Yes = False,
    skip_init: Annotated[bool, typer.Option("--skip-init", "-s", help="leave the database empty")] = False,
    _use_migration_files: UseMigrationFiles = False,
) -> None:
    given = load_settings()
    url = given.database.sql_alchemy_conn
    if not yes:
        typer.confirm(f"Delete everything in {masked_url(url)}?", abort=True)
    if bootstrap.current_revision(url) is not None:
        bootstrap.drop_archives(url)
        bootstrap.downgrade(url, "base")
    if not skip_init:
        given.home.mkdir(mode=0o700, parents=True, exist_ok=True)
        bootstrap.upgrade(url, default_pool_slots=given.core.default_pool_task_slot_count)
    typer.echo(f"schema: {bootstrap.current_revision(url) or 'none'}, without any data")


@app.command("check", help="fail unless the database answers and has the schema that this version needs")
def _check(
    retry: Annotated[int, typer.Option(min=0, max=LARGEST, help="try so many times more while it gives no answer")] = 0,
    retry_delay: Annotated[float, typer.Option(min=0, max=LARGEST, help="seconds between two tries")] = 1,
) -> None:
    url = load_settings().database.sql_alchemy_conn
    machine = clock.SystemClock()
    for left in range(retry, -1, -1):
        try:
            bootstrap.check_schema(url)
            break
        except DatabaseUnavailable:
            if not left:
                raise
            machine.sleep(retry_delay)
    typer.echo(f"the schema is at {bootstrap.needed_revision()}, as it should be")


@app.command("check-migrations", help="wait until the schema is the one that this version needs")
def _check_migrations(
    migration_wait_timeout: Annotated[
        float, typer.Option("--migration-wait-timeout", "-t", min=0, max=LARGEST, help="seconds until it fails")
    ] = 60,
) -> None:
    url = load_settings().database.sql_alchemy_conn
    machine = clock.SystemClock()
    end = machine.monotonic() + migration_wait_timeout
    while True:
        try:
            bootstrap.check_schema(url)
            break
        except (DatabaseUnavailable, MigrationNeeded):
            if machine.monotonic() >= end:
                raise
            machine.sleep(min(1, max(0.0, end - machine.monotonic())))
    typer.echo(f"the schema is at {bootstrap.needed_revision()}, as it should be")


@app.command("shell", help="talk to the database with its own program: sqlite3, psql or mysql")
def _shell() -> None:
    shell = bootstrap.shell_of(load_settings().database.sql_alchemy_conn)
    program = shutil.which(shell.command[0])
    if program is None:
        raise NotFound(f"the program {shell.command[0]} is not installed")
    # The shell takes the place of this process: signals and the terminal are its own.
    os.execve(program, shell.command, {**settings.process_environment(), **shell.environment})


def _start(revision: str | None, version: str | None, *, show_sql_only: bool) -> str | None:
    if (revision or version) and not show_sql_only:
        raise typer.BadParameter("--from-revision and --from-version are for --show-sql-only")
    return _revision(revision, version, "from")


def _revision(revision: str | None, version: str | None, which: str) -> str | None:
    """The revision that is meant, by itself or by the version of Tradewind that needs it."""
    if revision is not None and version is not None:
        raise typer.BadParameter(f"give --{which}-revision or --{which}-version, not both")
    if version is None:
        return revision
    if version != __version__:
        raise InvalidRequest(f"the schema of Tradewind {version} is not known here, only that of {__version__}")
    return bootstrap.needed_revision()
