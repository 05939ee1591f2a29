"""All commands that there are, as the command line itself knows them."""

import importlib
from collections.abc import Iterator
from typing import Any, NamedTuple

import typer

from tradewind.cli.groups import make_group
from tradewind.cli.main import ENTRIES


class Known(NamedTuple):
    """One command."""

    words: tuple[str, ...]
    help: str
    command: Any
    """Of typer: its parameters say what may follow."""


def all_commands() -> Iterator[Known]:
    """By name."""
    app = make_group()
    for name, entry in sorted(ENTRIES.items()):
        module = importlib.import_module(entry.module)
        if hasattr(module, "command"):
            app.command(name, help=entry.help)(module.command)
        else:
            app.add_typer(module.app, name=name, help=entry.help)
    yield from _below(typer.main.get_command(app), ())


def _below(command: Any, words: tuple[str, ...]) -> Iterator[Known]:
    for name, each in sorted(getattr(command, "commands", {}).items()):
        if hasattr(each, "commands"):
            yield from _below(each, (*words, name))
        else:
            yield Known((*words, name), (each.help or "").split("\n")[0], each)
