"""`tradewind dev`: a folder of DAG files, running while they are being written."""

import sys
import tempfile
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tradewind.cli.deferred import Deferred
from tradewind.cli.standalone import Port, run_standalone, variables
from tradewind.runtime.environment import has_display, set_variables, wants_colours
from tradewind.runtime.keeper import Part
from tradewind.settings import Settings

if TYPE_CHECKING:
    from tradewind.standalone import task_log_lines
else:
    task_log_lines = Deferred("tradewind.standalone.task_log_lines")


def command(
    dags_folder: Annotated[
        Path, typer.Argument(metavar="DAGS_FOLDER", exists=True, file_okay=False, help="where the DAG files are")
    ],
    home: Annotated[
        Path | None,
        typer.Option("--home", file_okay=False, help="where to keep everything; gone at the end by default"),
    ] = None,
    port: Port = None,
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="open the browser when it is ready")] = True,
) -> None:
    """Run the DAGs of a folder while you write them.

    Files are read again when they change, DAGs are not paused, what becomes of files and runs and what tasks log is
    shown here, and nobody has to log in: it can be reached from this machine only.
    """
    with _home(home) as place:
        set_variables(
            {
                **variables(home=place, dags_folder=dags_folder, host="127.0.0.1", port=port),
                "TRADEWIND__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False",
                "TRADEWIND__CORE__SIMPLE_AUTH_MANAGER_ALL_ADMINS": "True",
            }
        )
        run_standalone(
            verbose=True, more_parts=_task_logs, opened=webbrowser.open if browser and has_display() else None
        )


@contextmanager
def _home(given: Path | None) -> Iterator[Path]:
    if given is not None:
        yield given
        return
    with tempfile.TemporaryDirectory(prefix="tradewind-dev-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def _task_logs(settings: Settings) -> list[Part]:
    has_colours = wants_colours(sys.stdout)  # here, for the part itself writes into a pipe

    def live() -> None:
        task_log_lines.follow_task_logs(settings.log_folder, typer.echo, has_colours=has_colours)

    return [Part("task logs", live, tells_when_ready=False)]
