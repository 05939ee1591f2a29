"""What all groups of commands have in common: how they look, and that each command can be told to say more."""

import inspect
import logging
from collections.abc import Callable
from functools import wraps
from typing import Annotated, Any

import typer

Verbose = Annotated[bool, typer.Option("--verbose", "-v", help="tell more")]


class Group(typer.Typer):
    """Commands with plain help and plain tracebacks: the coloured ones take long to load."""

    def command(self, name: str | None = None, **kwargs: Any) -> Callable[[Any], Any]:
        """As in `typer.Typer`. Each command also has `--verbose`, as all of Airflow's have."""
        register = super().command(name, **kwargs)

        def add(function: Callable[..., None]) -> Callable[..., None]:
            register(with_verbose(function))
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
