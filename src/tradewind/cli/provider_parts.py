"""`tradewind providers <part>`: one kind of thing that the installed provider packages bring."""

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from tradewind.cli.deferred import Deferred
from tradewind.cli.groups import Group
from tradewind.cli.options import Color, OutputFormat
from tradewind.cli.output import Output, write_rows
from tradewind.errors import NotFound

if TYPE_CHECKING:
    from tradewind import compat
    from tradewind.providers import metadata
    from tradewind.providers import names as naming
    from tradewind.providers.metadata import Provider
else:
    compat = Deferred("tradewind.compat")
    metadata = Deferred("tradewind.providers.metadata")
    naming = Deferred("tradewind.providers.names")

Row = dict[str, object]


def _classes(key: str, column: str) -> "Callable[[Provider], Iterator[Row]]":
    """Things that are named by the path of their class."""

    def rows(provider: "Provider") -> Iterator[Row]:
        for path in provider.info.get(key) or ():
            yield {column: path if isinstance(path, str) else str(path)}

    return rows


def _hooks(provider: "Provider") -> Iterator[Row]:
    for each in provider.connection_types:
        yield {"connection_type": each.name, "class": each.hook, "hook_name": each.label}


def _triggers(provider: "Provider") -> Iterator[Row]:
    for each in provider.info.get("triggers") or ():
        for module in each.get("python-modules") or ():
            yield {"integration": each.get("integration-name"), "class": module}


def _configs(provider: "Provider") -> Iterator[Row]:
    for section, described in (provider.info.get("config") or {}).items():
        for option in described.get("options") or {}:
            yield {"section": section, "option": option}


def _described(key: str, column: str) -> "Callable[[Provider], Iterator[Row]]":
    """What the metadata says about the fields of connections."""

    def rows(provider: "Provider") -> Iterator[Row]:
        for each in provider.info.get("connection-types") or ():
            if each.get(key):
                yield {"connection_type": each["connection-type"], column: str(each[key])}

    return rows


_PARTS: Final[Mapping[str, tuple[str, "Callable[[Provider], Iterator[Row]]"]]] = {
    "auth-managers": ("list who decides who may do what", _classes("auth-managers", "auth_manager")),
    "behaviours": ("list which fields of connections are shown how", _described("ui-field-behaviour", "behaviour")),
    "configs": ("list the options that packages have of their own", _configs),
    "executors": ("list the executors that packages bring", _classes("executors", "executor")),
    "hooks": ("list the hooks, by the type of connection that they are for", _hooks),
    "links": ("list the links that operators show", _classes("extra-links", "link")),
    "logging": ("list where logs of tasks can be kept", _classes("logging", "handler")),
    "notifications": ("list who can be told of what happens", _classes("notifications", "notifier")),
    "queues": ("list the message queues that can be waited for", _classes("queues", "queue")),
    "secrets": ("list where variables and connections can be kept", _classes("secrets-backends", "secrets_backend")),
    "triggers": ("list what deferred tasks can wait for", _triggers),
    "widgets": ("list the fields of connections that are of a package's own", _described("conn-fields", "fields")),
}


def add_parts(app: Group) -> None:
    """A command for each kind of thing."""
    for name, (summary, rows_of) in _PARTS.items():
        app.command(name, help=summary)(_command(rows_of))
    app.command("get", help="show what is known of one provider package")(get)


def get(
    provider_name: Annotated[str, typer.Argument(help="its name, such as http or apache-airflow-providers-http")],
    full: Annotated[bool, typer.Option("--full", "-f", help="all that the package says of itself")] = False,
    _color: Color = None,
    output: OutputFormat = Output.TABLE,
) -> None:
    """Show what is known of one provider package."""
    wanted = naming.short_name(provider_name)
    found = next((provider for provider in _providers() if provider.name == wanted), None)
    if found is None:
        raise NotFound(f"{provider_name} is not installed: `tradewind providers install {wanted}` installs it")
    if full:
        write_rows([{"key": key, "value": _text(value)} for key, value in found.info.items()], output)
        return
    write_rows([{"package": found.package, "version": found.version, "description": found.description}], output)


def _command(rows_of: "Callable[[Provider], Iterator[Row]]") -> Callable[..., None]:
    def command(output: OutputFormat = Output.TABLE) -> None:
        rows = [{"provider": provider.package, **row} for provider in _providers() for row in rows_of(provider)]
        write_rows(rows, output, when_empty="no installed provider package has any")

    return command


def _providers() -> "list[Provider]":
    compat.install()  # the metadata of a package is a module of it, and that imports `airflow`
    return metadata.installed_providers()


def _text(value: Any) -> str:
    return value if isinstance(value, str) else repr(value)
