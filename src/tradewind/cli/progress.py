"""Showing people how far long work has come."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from tradewind.cli.deferred import Deferred

if TYPE_CHECKING:
    from rich import console, progress
else:
    console = Deferred("rich.console")
    progress = Deferred("rich.progress")


@contextmanager
def shown_progress(what: str, total: int) -> Iterator[Callable[[int], None]]:
    """A bar on the terminal, if the error stream is one. Call what it gives with how much was done."""
    if not sys.stderr.isatty():
        yield lambda _: None
        return
    columns = (
        progress.TextColumn("{task.description}"),
        progress.BarColumn(),
        progress.MofNCompleteColumn(),
        progress.TimeRemainingColumn(),
    )
    terminal = console.Console(stderr=True)
    with progress.Progress(*columns, console=terminal, transient=True) as bar:
        task = bar.add_task(what, total=total)
        yield lambda done: bar.advance(task, done)
