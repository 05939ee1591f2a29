"""`tradewind connections`: how to reach systems outside, and with which credentials."""

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from enum import StrEnum
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from tradewind.cli.backends import prepare_backends
from tradewind.cli.deferred import Deferred
from tradewind.cli.deployment import load_settings, opened, wired
from tradewind.cli.groups import make_group
from tradewind.cli.options import Color, OutputFormat
from tradewind.cli.output import Output, write_rows
from tradewind.cli.secret_files import masking_rules, read_mapping, write_private
from tradewind.errors import CheckFailed, InvalidRequest, UnknownConnection
from tradewind.model.connection_text import (
    InvalidConnection,
    build_json,
    build_uri,
    from_fields,
    parse_connection,
    parse_json,
    parse_uri,
    set_fields,
)
from tradewind.model.masking import REPLACEMENT, MaskingRules
from tradewind.model.task_answers import ConnectionResult

if TYPE_CHECKING:
    from tradewind import bootstrap, compat
    from tradewind import settings as configuration
    from tradewind.operations import default_connections, manage_connections, shown_secrets
    from tradewind.sdk import connection as sdk_connection
    from tradewind.secrets import encryption
    from tradewind.settings import Settings
else:
    bootstrap = Deferred("tradewind.bootstrap")
    compat = Deferred("tradewind.compat")
    configuration = Deferred("tradewind.settings")
    default_connections = Deferred("tradewind.operations.default_connections")
    sdk_connection = Deferred("tradewind.sdk.connection")
    encryption = Deferred("tradewind.secrets.encryption")
    manage_connections = Deferred("tradewind.operations.manage_connections")
    shown_secrets = Deferred("tradewind.operations.shown_secrets")

app = make_group()

ConnId = Annotated[str, typer.Argument(metavar="CONN_ID", help="the connection")]
HideSensitive = Annotated[
    bool, typer.Option("--hide-sensitive", help="hide passwords, and what sounds secret among the extras")
]
Text = Annotated[str | None, typer.Option()]


class FileFormat(StrEnum):
    """How a file of connections is written."""

    JSON = "json"
    YAML = "yaml"
    ENV = "env"


class TextFormat(StrEnum):
    """How a connection is written in one line."""

    URI = "uri"
    JSON = "json"


def _cipher(settings: "Settings") -> "encryption.Encryption":
    return encryption.Encryption.from_setting(settings.core.fernet_key)


@app.command("list", help="list all connections; with --show-values, also what is secret")
def _list(
    output: OutputFormat = Output.TABLE,
    show_values: Annotated[bool, typer.Option("--show-values", help="show passwords and extras")] = False,
    hide_sensitive: HideSensitive = False,
) -> None:
    settings = load_settings()
    with wired(settings) as wiring:
        connections = wiring.database.transact(lambda tx: manage_connections.list_connections(tx, _cipher(settings)))
    rules = masking_rules(settings) if hide_sensitive else None
    rows = [_row(each, shows=show_values, rules=rules) for each in connections]
    write_rows(rows, output, when_empty="there is no connection")


@app.command("get", help="show one connection")
def _get(
    conn_id: ConnId,
    output: OutputFormat = Output.TABLE,
    show_values: Annotated[bool, typer.Option("--show-values", help="show its password and extras")] = False,
    hide_sensitive: HideSensitive = False,
    _color: Color = None,
) -> None:
    settings = load_settings()
    with wired(settings) as wiring:
        connection = wiring.database.transact(
            lambda tx: manage_connections.find_connection(tx, conn_id, _cipher(settings))
        )
    if connection is None:
        raise UnknownConnection(conn_id)
    rules = masking_rules(settings) if hide_sensitive else None
    write_rows([_row(connection, shows=show_values, rules=rules)], output)


@app.command("add", help="create a connection, from a URI, from JSON, or from its fields")
def _add(
    conn_id: ConnId,
    conn_uri: Text = None,
    conn_json: Text = None,
    conn_type: Text = None,
    conn_description: Text = None,
    conn_host: Text = None,
    conn_login: Text = None,
    conn_password: Text = None,
    conn_schema: Text = None,
    conn_port: Annotated[int | None, typer.Option(min=0, max=65535)] = None,
    conn_extra: Text = None,
) -> None:
    fields: dict[str, object] = {
        "conn_type": conn_type,
        "host": conn_host,
        "login": conn_login,
        "password": conn_password,
        "schema": conn_schema,
        "port": conn_port,
        "extra": conn_extra,
    }
    connection = _described(conn_id, conn_uri, conn_json, conn_description, fields)
    settings = load_settings()
    with wired(settings) as wiring:
        now, cipher = wiring.clock.now(), _cipher(settings)
        wiring.database.transact(lambda tx: manage_connections.add_connection(tx, connection, cipher=cipher, now=now))
    typer.echo(f"connection {conn_id} is added")


@app.command("delete", help="delete a connection")
def _delete(conn_id: ConnId, _color: Color = None) -> None:
    with opened() as wiring:
        wiring.database.transact(lambda tx: manage_connections.delete_connection(tx, conn_id))
    typer.echo(f"connection {conn_id} is deleted")


@app.command("test", help="let the hook of a connection try whether it works")
def _test(conn_id: ConnId) -> None:
    settings = load_settings()
    prepare_backends(settings)
    given = bootstrap.make_secrets_chain(settings, configuration.process_environment()).get_connection(conn_id)
    if given is None:
        with wired(settings) as wiring:
            given = wiring.database.read(lambda tx: manage_connections.find_connection(tx, conn_id, _cipher(settings)))
    if given is None:
        raise UnknownConnection(conn_id)
    compat.install()  # hooks are classes of provider packages, which import `airflow`
    works, message = sdk_connection.Connection.from_json(build_json(given), conn_id).test_connection()
    if not works:
        raise CheckFailed(f"connection {conn_id} does not work: {message}")
    typer.echo(f"connection {conn_id} works: {message}")


@app.command("create-default-connections", help="create the connections that Airflow has from the start")
def _create_default_connections() -> None:
    settings = load_settings()
    with wired(settings) as wiring:
        now, cipher = wiring.clock.now(), _cipher(settings)
        made = wiring.database.transact(
            lambda tx: default_connections.add_default_connections(tx, cipher=cipher, now=now)
        )
    typer.echo(f"{len(made)} connections added")


@app.command("import", help="create connections as a JSON, YAML or .env file says")
def _import(
    file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="what `export` wrote")],
    overwrite: Annotated[bool, typer.Option("--overwrite", help="replace those that exist")] = False,
) -> None:
    given = [_given(conn_id, value, file) for conn_id, value in read_mapping(file).items()]
    settings = load_settings()
    with wired(settings) as wiring:
        now, cipher = wiring.clock.now(), _cipher(settings)
        written = wiring.database.transact(
            lambda tx: manage_connections.put_connections(tx, given, cipher=cipher, now=now, overwrites=overwrite)
        )
    skipped = f", {len(given) - len(written)} left as they were" if len(written) < len(given) else ""
    typer.echo(f"{len(written)} connections set{skipped}")


@app.command("export", help="write all connections, with what is secret, to a file; - is the standard output")
def _export(
    file: Annotated[Path, typer.Argument(dir_okay=False, help="where to")],
    file_format: Annotated[
        FileFormat | None, typer.Option("--file-format", "--format", help="by default as the name of the file ends")
    ] = None,
    serialization_format: Annotated[TextFormat, typer.Option(help="of a connection in an env file")] = TextFormat.URI,
) -> None:
    settings = load_settings()
    with wired(settings) as wiring:
        connections = wiring.database.transact(lambda tx: manage_connections.list_connections(tx, _cipher(settings)))
    chosen = file_format or _format_of(file)
    write = build_uri if serialization_format is TextFormat.URI else build_json
    text = _WRITERS[chosen](connections, write)
    if str(file) == "-":
        typer.echo(text, nl=False)
        return
    write_private(file, text)
    typer.echo(f"{len(connections)} connections written to {file}")


def _described(
    conn_id: str, uri: str | None, as_json: str | None, description: str | None, fields: Mapping[str, object]
) -> ConnectionResult:
    has_fields = any(value is not None for value in fields.values())
    if (uri is not None) + (as_json is not None) + has_fields != 1:
        raise InvalidRequest("give --conn-uri, or --conn-json, or --conn-type with the other fields")
    try:
        if uri is not None:
            connection = parse_uri(uri, conn_id)
        elif as_json is not None:
            connection = parse_json(as_json, conn_id)
        else:
            connection = from_fields(fields, conn_id)
    except InvalidConnection as error:
        raise InvalidRequest(str(error)) from None
    return connection if description is None else replace(connection, description=description)


def _given(conn_id: str, value: object, file: Path) -> ConnectionResult:
    """One entry of a file: a URI, JSON text, or an object of fields."""
    try:
        if isinstance(value, str):
            return parse_connection(value, conn_id)
        if isinstance(value, dict):
            return from_fields(value, conn_id)
    except InvalidConnection as error:
        raise InvalidRequest(f"{file}: {error}") from None
    raise InvalidRequest(f"{file}: connection {conn_id!r} has to be a URI or an object of fields")


def _row(connection: ConnectionResult, *, shows: bool, rules: MaskingRules | None = None) -> dict[str, object]:
    row: dict[str, object] = {
        "conn_id": connection.conn_id,
        "conn_type": connection.conn_type,
        "description": connection.description,
        "host": connection.host,
        "schema": connection.schema,
        "login": connection.login,
        "port": connection.port,
    }
    if shows:
        row["password"] = REPLACEMENT if rules is not None and connection.password else connection.password
        row["extra"] = connection.extra if rules is None else shown_secrets.shown_extra(connection.extra, rules)
    return row


def _format_of(file: Path) -> FileFormat:
    suffix = file.suffix.lower().removeprefix(".")
    suffix = {"yml": "yaml", "": "json"}.get(suffix, suffix)
    try:
        return FileFormat(suffix)
    except ValueError:
        raise InvalidRequest(f"{file} ends in none of .json, .yaml, .env: say which with --file-format") from None


_WriteOne = Callable[[ConnectionResult], str]


def _as_json(connections: list[ConnectionResult], _write: _WriteOne) -> str:
    return json.dumps({each.conn_id: set_fields(each) for each in connections}, indent=2, ensure_ascii=False) + "\n"


def _as_yaml(connections: list[ConnectionResult], _write: _WriteOne) -> str:
    # Only those who want YAML pay for it.
    dump = import_module("yaml").safe_dump
    text: str = dump({each.conn_id: set_fields(each) for each in connections}, sort_keys=False, allow_unicode=True)
    return text


def _as_env(connections: list[ConnectionResult], write: _WriteOne) -> str:
    return "".join(f"{each.conn_id}={write(each)}\n" for each in connections)


_WRITERS: Final[Mapping[FileFormat, Callable[[list[ConnectionResult], _WriteOne], str]]] = {
    FileFormat.JSON: _as_json,
    FileFormat.YAML: _as_yaml,
    FileFormat.ENV: _as_env,
}
