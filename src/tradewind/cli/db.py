"""`tradewind db`: the schema of the database."""

import argparse
import sys
from typing import TYPE_CHECKING

from tradewind.bootstrap import check_schema, current_revision, downgrade, needed_revision, upgrade
from tradewind.settings import load_settings

if TYPE_CHECKING:
    Groups = argparse._SubParsersAction[argparse.ArgumentParser]  # noqa: SLF001 - argparse has no public name for it


def add_commands(groups: "Groups") -> None:
    """Add the group `db`."""
    group = groups.add_parser("db", help="create, migrate and check the database's schema")
    commands = group.add_subparsers(dest="command", required=True, metavar="COMMAND")
    migrate = commands.add_parser("migrate", help="bring the schema to the newest revision, or to a given one")
    migrate.add_argument("--to-revision", default="head", metavar="REVISION")
    migrate.set_defaults(run=_migrate)
    down = commands.add_parser("downgrade", help="bring the schema back to an older revision")
    down.add_argument("--to-revision", required=True, metavar="REVISION", help='"base" removes all tables')
    down.set_defaults(run=_downgrade)
    check = commands.add_parser("check", help="fail unless the schema is the one that this version needs")
    check.set_defaults(run=_check)


def _migrate(parsed: argparse.Namespace) -> None:
    settings = load_settings()
    settings.home.mkdir(parents=True, exist_ok=True)
    url = settings.database.sql_alchemy_conn
    before = current_revision(url)
    upgrade(url, parsed.to_revision)
    _say(f"schema: {before or 'none'} → {current_revision(url)}")


def _downgrade(parsed: argparse.Namespace) -> None:
    url = load_settings().database.sql_alchemy_conn
    before = current_revision(url)
    downgrade(url, parsed.to_revision)
    _say(f"schema: {before or 'none'} → {current_revision(url) or 'none'}")


def _check(_: argparse.Namespace) -> None:
    check_schema(load_settings().database.sql_alchemy_conn)
    _say(f"the schema is at {needed_revision()}, as it should be")


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
