"""`tradewind`: the command line's entry."""

import io
import os
import sys
from collections.abc import Sequence
from typing import Annotated, Any, Final, NamedTuple

import typer

from tradewind import __version__
from tradewind.cli.groups import make_group
from tradewind.cli.refused import why_no_command, why_no_option
from tradewind.errors import DatabaseError, InvalidRequest, RunTypeRefused, SettingsError, TradewindError, ValueRefused
from tradewind.runtime.memory import load_for_good


class Entry(NamedTuple):
    """A word after `tradewind`: a module with an `app` (a group of commands) or a `command` (one function)."""

    module: str
    help: str


ENTRIES: Final = {
    "api-server": Entry("tradewind.cli.api_server", "serve the REST API"),
    "assets": Entry("tradewind.cli.assets", "what DAGs wait for and produce"),
    "backfill": Entry("tradewind.cli.backfill", "runs of a DAG over a range of past dates"),
    "cheat-sheet": Entry("tradewind.cli.cheat_sheet", "print all commands, group by group"),
    "completion": Entry("tradewind.cli.completion", "print what lets a shell complete commands"),
    "config": Entry("tradewind.cli.config", "what is configured, and what is wrong with it"),
    "connections": Entry("tradewind.cli.connections", "how systems outside are reached by tasks"),
    "dag-processor": Entry("tradewind.cli.dag_processor", "find DAG files, read them, store what they say"),
    "dags": Entry("tradewind.cli.dags", "DAGs, what is wrong with their files, and their runs"),
    "db": Entry("tradewind.cli.db", "create, migrate and check the database's schema"),
    "info": Entry("tradewind.cli.info", "tell what is installed and configured; no secrets"),
    "jobs": Entry("tradewind.cli.jobs", "the services that run"),
    "migrate-from-airflow": Entry("tradewind.cli.migrate_from_airflow", "copy what Airflow's database holds"),
    "partitions": Entry("tradewind.cli.partitions", "let runs be about no partition any more"),
    "plugins": Entry("tradewind.cli.plugins", "tell which plugins there are, and what they bring"),
    "dev": Entry("tradewind.cli.dev", "run the DAGs of a folder while you write them"),
    "pools": Entry("tradewind.cli.pools", "how many tasks of a kind may run at once"),
    "providers": Entry("tradewind.cli.providers", "install and list provider packages of Airflow"),
    "rotate-fernet-key": Entry("tradewind.cli.rotate_fernet_key", "encrypt all stored secrets with the newest key"),
    "state-store": Entry("tradewind.cli.state_store", "what tasks remember from attempt to attempt"),
    "standalone": Entry("tradewind.cli.standalone", "start everything on this machine"),
    "roles": Entry("tradewind.cli.roles", "what users may be"),
    "scheduler": Entry("tradewind.cli.scheduler", "decide what runs when, and hand it to the executors"),
    "triggerer": Entry("tradewind.cli.triggerer", "wait for what deferred tasks wait for"),
    "triggers": Entry("tradewind.cli.triggers", "what waiting tasks wait for"),
    "users": Entry("tradewind.cli.users", "who may log in"),
    "variables": Entry("tradewind.cli.variables", "named values that DAG files and tasks ask for"),
    "version": Entry("tradewind.cli.version", "print the version"),
    "worker": Entry("tradewind.cli.worker", "run the tasks of an executor on this machine"),
    "tasks": Entry("tradewind.cli.tasks", "what became of the tasks of a run"),
}


NOT_UNDERSTOOD: Final = 2
"""The exit code where the words, what they say, or the configuration are wrong, rather than what is found."""
SERVICES: Final = frozenset({"api-server", "dag-processor", "dev", "scheduler", "standalone", "triggerer", "worker"})
"""What runs for long, and whose errors somebody has to look into afterwards."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. Returns the exit code: 0 done, 1 refused or failed (also what names nothing that there is),
    2 not understood (the words, a value such as a date, or what is configured)."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    _escape_what_is_no_text()
    try:
        code = _app(words)(words, prog_name="tradewind", standalone_mode=False)
        return code if isinstance(code, int) else 0
    except SystemExit as exit_:
        return exit_.code if isinstance(exit_.code, int) else 0
    except BrokenPipeError:  # whoever read what was written has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except Exception as error:
        code, said = _told(error, words)
        sys.stderr.write(said)
        return code


def _escape_what_is_no_text() -> None:
    """Names of files, and words, need not be text."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def _told(error: Exception, words: Sequence[str]) -> tuple[int, str]:
    """The exit code, and a line that says what happened. A mistake of ours is raised again for who looks for it."""
    match error:
        case RunTypeRefused():  # well said, but the DAG has the last word
            return 1, f"tradewind: {error}\n"
        case SettingsError() | InvalidRequest() | ValueRefused():
            return NOT_UNDERSTOOD, f"tradewind: {error}\n"
        case DatabaseError():  # what a server says may have several lines
            return 1, f"tradewind: {' '.join(str(error).split())}\n"
        case TradewindError() | OSError():  # also a file that cannot be read, a program that is not there
            return 1, f"tradewind: {error}\n"
        case typer.Abort():  # of a question: nobody was there to answer it, or who was did not want to go on
            return 1, "tradewind: aborted\n"
        case _:
            pass
    if hasattr(error, "format_message"):  # typer does not name the base class of what it refuses
        return NOT_UNDERSTOOD, _explained(error, words)
    if SERVICES.intersection(words[:1]) or {"-v", "--verbose"}.intersection(words):
        raise error
    return 1, f"tradewind: unexpected {type(error).__name__}: {error} (--verbose shows where)\n"


def _explained(error: Any, words: Sequence[str]) -> str:
    """What is wrong with the words, in one line; a group without a command is explained at length instead."""
    said: str = error.format_message()
    context = getattr(error, "ctx", None)
    if context is None or said == context.get_help():
        return f"{said}\n"
    if hasattr(error, "option_name"):
        why = why_no_option(error.option_name)
    else:
        why = why_no_command(words) if said.startswith("No such command") else None
    line = why or f"{' '.join(said.split())} ({context.command_path} --help tells more)"
    return f"tradewind: {line}\n"


def _app(words: Sequence[str]) -> typer.Typer:
    """All entries, of which only the one that was asked for is imported: help must come at once."""
    chosen = next((word for word in words if not word.startswith("-")), None)
    # Typer loads pydantic for the first option that it looks at, also for one that nobody gave, and `--help` of a group
    # is one. Where the words go on, nobody has asked the group.
    is_asked = words[:1] != [chosen]
    app = make_group(summary="A workflow orchestrator.", callback=_root if is_asked else None)
    app.info.add_help_option = is_asked
    for name, entry in sorted(ENTRIES.items()):
        if name != chosen:
            app.add_typer(make_group(), name=name, help=entry.help)
            continue
        module = load_for_good(entry.module)
        if hasattr(module, "command"):
            app.command(name, help=entry.help, add_help_option=len(words) > 1)(module.command)
        else:
            ends_here = len(words) < 2 or words[1].startswith("-") or is_asked
            app.add_typer(module.app, name=name, help=entry.help, add_help_option=ends_here)
    return app


def _say_version(is_wanted: bool) -> None:
    if is_wanted:
        typer.echo(f"tradewind {__version__}")
        raise typer.Exit


def _root(
    _version: Annotated[
        bool, typer.Option("--version", callback=_say_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """What comes before every command."""


if __name__ == "__main__":
    sys.exit(main())
