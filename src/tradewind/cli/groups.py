"""What all groups of commands have in common: how they look."""

from collections.abc import Callable

import typer


def make_group(*, summary: str | None = None, callback: Callable[..., None] | None = None) -> typer.Typer:
    """A group of commands with plain help and plain tracebacks: the coloured ones take long to load."""
    return typer.Typer(
        help=summary,
        callback=callback,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        add_completion=False,
        no_args_is_help=True,
    )
