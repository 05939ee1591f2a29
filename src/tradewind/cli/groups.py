"""What all groups of commands have in common: how they look, that each command can be told to say more, and that the
audit log says what it changed."""

import importlib
import inspect
import logging
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any, Final

import typer

_CHANGES_NOTHING: Final = frozenset({"cheat-sheet", "completion", "config", "info", "jobs", "plugins", "version"})
"""To load what the audit log needs would take longer than all that these do."""

Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="tell more")]


class Group(typer.Typer):
    """Commands with plain help and plain tracebacks: the coloured ones take long to load."""

    def command(self, name: str | None = None, **kwargs: Any) -> Callable[[Any], Any]:
        """As in `typer.Typer`. Each command also has `--verbose`, as all of Airflow's have."""
        register = super().command(name, **kwargs)

        def add(function: Callable[..., None]) -> Callable[..., None]:
            register(with_verbose(audited(function)))
            return function

        return add


def make_group(*, summary: str | None = None, callback: Callable[..., None] | None = None) -> Group:
    """A group of commands."""
    return Group(
        help=summary,
        callback=callback,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        add_completion=False,
        no_args_is_help=True,
    )


def audited(function: Callable[..., None]) -> Callable[..., None]:
    """A command of which the audit log says what it changed, if it does."""
    signature = inspect.signature(function)
    own = [name for name, each in signature.parameters.items() if each.annotation is typer.Context]
    name = own[0] if own else "audited_context"

    @wraps(function)
    def noted(*args: Any, **kwargs: Any) -> None:
        context = kwargs[name] if own else kwargs.pop(name)
        if _CHANGES_NOTHING.intersection(context.command_path.split()[1:2]):
            function(*args, **kwargs)
            return
        # Only a command that runs needs it; help has to come at once.
        with importlib.import_module("tradewind.cli.noted").noted(context):
            function(*args, **kwargs)

    if not own:
        added = inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, annotation=typer.Context)
        noted.__signature__ = signature.replace(parameters=[*signature.parameters.values(), added])  # type: ignore[attr-defined]
        noted.__annotations__ = {**function.__annotations__, name: typer.Context}
    return noted


def with_verbose(function: Callable[..., None]) -> Callable[..., None]:
    """A command that shows what libraries log, if asked to. One that has the option itself stays as it is."""
    signature = inspect.signature(function)
    if "verbose" in signature.parameters:
        return function

    @wraps(function)
    def told_more(*args: Any, verbose: bool, **kwargs: Any) -> None:
        if verbose:
            logging.basicConfig(level=logging.DEBUG)
        function(*args, **kwargs)

    option = inspect.Parameter("verbose", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=Verbose)
    parameters = [*signature.parameters.values(), option]
    told_more.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    told_more.__annotations__ = {**function.__annotations__, "verbose": Verbose}
    return told_more
