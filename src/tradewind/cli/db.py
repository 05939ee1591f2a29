"""`tradewind db`: the schema of the database."""

from typing import Annotated

import typer

from tradewind.bootstrap import check_schema, current_revision, downgrade, needed_revision, upgrade
from tradewind.cli.groups import make_group
from tradewind.settings import load_settings

app = make_group()


@app.command("migrate", help="bring the schema to the newest revision, or to a given one")
def _migrate(to_revision: Annotated[str, typer.Option(metavar="REVISION")] = "head") -> None:
    settings = load_settings()
    settings.home.mkdir(parents=True, exist_ok=True)
    url = settings.database.sql_alchemy_conn
    before = current_revision(url)
    upgrade(url, to_revision)
    typer.echo(f"schema: {before or 'none'} → {current_revision(url)}")


@app.command("downgrade", help="bring the schema back to an older revision")
def _downgrade(
    to_revision: Annotated[str, typer.Option(metavar="REVISION", help='"base" removes all tables')],
) -> None:
    url = load_settings().database.sql_alchemy_conn
    before = current_revision(url)
    downgrade(url, to_revision)
    typer.echo(f"schema: {before or 'none'} → {current_revision(url) or 'none'}")


@app.command("check", help="fail unless the schema is the one that this version needs")
def _check() -> None:
    check_schema(load_settings().database.sql_alchemy_conn)
    typer.echo(f"the schema is at {needed_revision()}, as it should be")
