"""`tradewind info`: what is installed and configured."""

import locale
import os
import platform
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from tradewind import __version__
from tradewind.cli.deferred import Deferred
from tradewind.cli.deployment import load_settings
from tradewind.cli.masked_url import masked_url
from tradewind.cli.options import OutputFormat
from tradewind.cli.output import Output, write_rows
from tradewind.errors import DatabaseError

if TYPE_CHECKING:
    from tradewind import bootstrap, compat
    from tradewind.providers import metadata
    from tradewind.settings import Settings
else:
    bootstrap = Deferred("tradewind.bootstrap")
    compat = Deferred("tradewind.compat")
    metadata = Deferred("tradewind.providers.metadata")

_PROGRAMS: Final = ("git", "ssh", "kubectl", "sqlite3", "psql", "mysql")

_Fact = tuple[str, object]


def command(
    anonymize: Annotated[
        bool, typer.Option("--anonymize", help="leave out the names of the user, the home folder and the machine")
    ] = False,
    output: OutputFormat = Output.TABLE,
) -> None:
    """Tell what is installed and configured, without secrets."""
    settings = load_settings()
    sections: dict[str, Iterator[_Fact]] = {
        "tradewind": _tradewind(settings),
        "system": _system(),
        "tools": ((name, shutil.which(name) or "not found") for name in _PROGRAMS),
        "paths": _paths(settings),
        "database": _database(settings),
        "providers": _providers(),
    }
    hide = _anonymous if anonymize else str
    rows = [
        {"section": section, "name": name, "value": hide(str(value))}
        for section, facts in sections.items()
        for name, value in facts
    ]
    write_rows(rows, output)


def _tradewind(settings: "Settings") -> Iterator[_Fact]:
    yield "version", __version__
    yield "executor", settings.core.executor
    yield "default_timezone", settings.core.default_timezone
    yield "parallelism", settings.core.parallelism
    yield "fernet_key", "set" if settings.core.fernet_key else "not set: secrets are stored as they are"
    yield "secrets_backend", settings.secrets.backend or "none"
    yield "dag_bundles", ", ".join(bundle.name for bundle in settings.dag_processor.dag_bundle_config_list)
    remote = settings.logging.remote_base_log_folder if settings.logging.remote_logging else ""
    yield "remote_logs", masked_url(remote) if remote else "none"


def _system() -> Iterator[_Fact]:
    yield "os", f"{platform.system()} {platform.release()}"
    yield "architecture", platform.machine()
    yield "machine", platform.node()
    yield "locale", ".".join(filter(None, locale.getlocale())) or "C"
    yield "python_version", sys.version.replace("\n", " ")
    yield "python_location", sys.executable


def _paths(settings: "Settings") -> Iterator[_Fact]:
    yield "home", settings.home.absolute()
    yield "dags_folder", settings.dags_folder
    yield "plugins_folder", settings.plugins_folder
    yield "log_folder", settings.log_folder
    yield "python_path", os.pathsep.join(sys.path)


def _database(settings: "Settings") -> Iterator[_Fact]:
    url = settings.database.sql_alchemy_conn
    yield "url", masked_url(url)
    yield "needed_revision", bootstrap.needed_revision()
    try:
        yield "revision", bootstrap.current_revision(url) or "none"
        yield "server", bootstrap.server_version(url)
    except DatabaseError as error:
        yield "error", str(error).split("\n")[0]


def _providers() -> Iterator[_Fact]:
    compat.install()  # the metadata of a package is a module of it, and that imports `airflow`
    for provider in metadata.installed_providers():
        yield provider.package, provider.version


def _anonymous(text: str) -> str:
    home = Path.home()
    for name, shown in ((str(home), "${HOME}"), (home.name, "${USER}"), (platform.node(), "${HOST}")):
        text = text.replace(name, shown) if name else text
    return text
