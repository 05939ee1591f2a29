"""`tradewind cheat-sheet`: every command in one line."""

import itertools

import typer

from tradewind.cli.command_tree import all_commands


def command() -> None:
    """Print all commands, group by group."""
    known = sorted(all_commands(), key=lambda each: (len(each.words) > 1, each.words))
    width = max(len(" ".join(each.words)) for each in known)
    for group, members in itertools.groupby(known, lambda each: each.words[0] if len(each.words) > 1 else None):
        typer.echo(f"\n{group or 'tradewind'}")
        for each in members:
            typer.echo(f"  tradewind {' '.join(each.words).ljust(width)}  {each.help}")
