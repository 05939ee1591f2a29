"""`tradewind providers`: Airflow's provider packages, without Airflow."""

import json
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tradewind.cli.deferred import Deferred
from tradewind.cli.groups import make_group
from tradewind.cli.options import OutputFormat
from tradewind.cli.output import Output, write_rows
from tradewind.cli.provider_parts import add_parts
from tradewind.errors import NotFound

if TYPE_CHECKING:
    from tradewind import compat
    from tradewind.providers import installing, metadata
    from tradewind.providers import names as naming
    from tradewind.providers.metadata import Provider
else:
    compat = Deferred("tradewind.compat")
    installing = Deferred("tradewind.providers.installing")
    metadata = Deferred("tradewind.providers.metadata")
    naming = Deferred("tradewind.providers.names")


app = make_group()
add_parts(app)

_COLUMNS = ("operators", "sensors", "hooks", "triggers", "connection_types", "task_decorators", "notifiers")


@app.command("install", help="install provider packages with what they need, and without Airflow")
def _install(
    names: Annotated[list[str], typer.Argument(help="short names, such as http, microsoft.azure or amazon==9.0.0")],
) -> None:
    changed = installing.install_providers(names)
    if not changed:
        typer.echo("everything is installed already")
    for package in changed:
        typer.echo(f"installed {package.name} {package.version}")


@app.command("list", help="show what the installed provider packages bring; with names, every part of those")
def _list(
    names: Annotated[list[str] | None, typer.Argument(help="short names, such as http")] = None,
    output: OutputFormat = Output.TABLE,
) -> None:
    # The metadata of a package is a module of it, and that imports `airflow`.
    compat.install()
    chosen = _chosen(metadata.installed_providers(), names or [])
    if output is Output.JSON:
        typer.echo(json.dumps([_as_json(provider) for provider in chosen], indent=2))
    elif output is Output.YAML:
        write_rows([_as_json(provider) for provider in chosen], output)
    elif names:
        _print_parts(chosen)
    elif output is Output.PLAIN:
        for provider in chosen:
            typer.echo(f"{provider.name} {provider.version}")
    else:
        _print_table(chosen)


def _chosen(providers: "list[Provider]", names: list[str]) -> "list[Provider]":
    by_name = {provider.name: provider for provider in providers}
    missing = [name for name in names if naming.short_name(name) not in by_name]
    if missing:
        raise NotFound(f"{missing[0]} is not installed: `tradewind providers install {missing[0]}` installs it")
    return [by_name[naming.short_name(name)] for name in names] or providers


def _as_json(provider: "Provider") -> dict[str, Any]:
    fields = asdict(provider)
    del fields["info"]
    return fields


def _print_table(providers: "list[Provider]") -> None:
    rows = [
        [provider.name, provider.version, *(str(len(getattr(provider, column)) or "") for column in _COLUMNS)]
        for provider in providers
    ]
    header = ["provider", "version", *(column.replace("_", " ") for column in _COLUMNS)]
    widths = [max(len(row[place]) for row in [header, *rows]) for place in range(len(header))]
    for row in [header, *rows]:
        typer.echo("  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip())


def _print_parts(providers: "list[Provider]") -> None:
    for provider in providers:
        typer.echo(f"{provider.package} {provider.version}: {provider.title}")
        for kind, parts in _as_json(provider).items():
            if not isinstance(parts, list | tuple) or not parts:
                continue
            typer.echo(f"  {kind.replace('_', ' ')}")
            for part in parts:
                typer.echo(f"    {part if isinstance(part, str) else '  '.join(map(str, part.values()))}")
