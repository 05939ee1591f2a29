"""`tradewind version`."""

import typer

from tradewind import __version__


def command() -> None:
    """Print the version."""
    typer.echo(__version__)
