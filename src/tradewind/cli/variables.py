"""`tradewind variables`: named values that DAG files and tasks ask for."""

import json
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tradewind.cli.deferred import Deferred
from tradewind.cli.deployment import load_settings, opened, wired
from tradewind.cli.groups import make_group
from tradewind.cli.options import OutputFormat
from tradewind.cli.output import Output, write_rows
from tradewind.cli.secret_files import masking_rules, read_mapping, write_private
from tradewind.errors import InvalidRequest, UnknownVariable
from tradewind.model.masking import REPLACEMENT, MaskingRules

if TYPE_CHECKING:
    from tradewind.operations import manage_variables
    from tradewind.secrets import encryption
    from tradewind.settings import Settings
else:
    encryption = Deferred("tradewind.secrets.encryption")
    manage_variables = Deferred("tradewind.operations.manage_variables")

app = make_group()

Key = Annotated[str, typer.Argument(help="the variable")]
AsJson = Annotated[bool, typer.Option("--json", "-j", help="its value is JSON")]


class OnExisting(StrEnum):
    """What an import does with variables that exist."""

    OVERWRITE = "overwrite"
    FAIL = "fail"
    SKIP = "skip"


def _cipher(settings: "Settings") -> "encryption.Encryption":
    return encryption.Encryption.from_setting(settings.core.fernet_key)


@app.command("list", help="list the keys of all variables; with --show-values, their values")
def _list(
    output: OutputFormat = Output.TABLE,
    show_values: Annotated[bool, typer.Option("--show-values", help="show the values too")] = False,
    hide_sensitive: Annotated[
        bool, typer.Option("--hide-sensitive", help="hide the values whose key sounds secret")
    ] = False,
) -> None:
    settings = load_settings()
    with wired(settings) as wiring:
        if not show_values:
            found = wiring.database.transact(manage_variables.describe_variables)
            rows: list[dict[str, object]] = [{"key": key, "description": text} for key, text in found.items()]
        else:
            variables = wiring.database.transact(lambda tx: manage_variables.list_variables(tx, _cipher(settings)))
            rules = masking_rules(settings) if hide_sensitive else None
            rows = [_row(variable, rules) for variable in variables]
    write_rows(rows, output, when_empty="there is no variable")


@app.command("get", help="print the value of a variable")
def _get(
    key: Key,
    default: Annotated[str | None, typer.Option("--default", "-d", help="what to print if there is none")] = None,
    as_json: AsJson = False,
) -> None:
    settings = load_settings()
    with wired(settings) as wiring:
        value = wiring.database.transact(lambda tx: manage_variables.find_variable(tx, key, _cipher(settings)))
    if value is None:
        if default is None:
            raise UnknownVariable(key)
        value = default
    typer.echo(json.dumps(_decoded(key, value), indent=2, ensure_ascii=False) if as_json else value)


@app.command("set", help="create a variable, or replace it")
def _set(
    key: Key,
    value: Annotated[str, typer.Argument(help="its value; - reads it from the standard input")],
    description: Annotated[str | None, typer.Option("--description", help="what it is for")] = None,
    as_json: AsJson = False,
) -> None:
    text = typer.get_text_stream("stdin").read().removesuffix("\n") if value == "-" else value
    if as_json:
        text = _as_text(_decoded(key, text))
    settings = load_settings()
    with wired(settings) as wiring:
        now, cipher = wiring.clock.now(), _cipher(settings)
        wiring.database.transact(
            lambda tx: manage_variables.set_variable(tx, key, text, description=description, cipher=cipher, now=now)
        )
    typer.echo(f"variable {key} is set")


@app.command("delete", help="delete a variable")
def _delete(key: Key) -> None:
    with opened() as wiring:
        wiring.database.transact(lambda tx: manage_variables.delete_variable(tx, key))
    typer.echo(f"variable {key} is deleted")


@app.command("import", help="create variables as a JSON, YAML or .env file says")
def _import(
    filepath: Annotated[Path, typer.Argument(metavar="FILE", exists=True, dir_okay=False, help="what `export` wrote")],
    action_on_existing_key: Annotated[
        OnExisting, typer.Option("--action-on-existing-key", "-a", help="what to do with those that exist")
    ] = OnExisting.OVERWRITE,
) -> None:
    given = [_given(key, value) for key, value in read_mapping(filepath).items()]
    settings = load_settings()
    with wired(settings) as wiring:
        now, cipher = wiring.clock.now(), _cipher(settings)
        written = wiring.database.transact(
            lambda tx: manage_variables.set_variables(
                tx, given, cipher=cipher, now=now, on_existing=manage_variables.OnExisting(action_on_existing_key)
            )
        )
    skipped = f", {len(given) - len(written)} left as they were" if len(written) < len(given) else ""
    typer.echo(f"{len(written)} variables set{skipped}")


@app.command("export", help="write all variables, with their values, to a JSON file; - is the standard output")
def _export(filepath: Annotated[Path, typer.Argument(metavar="FILE", dir_okay=False, help="where to")]) -> None:
    settings = load_settings()
    with wired(settings) as wiring:
        variables = wiring.database.transact(lambda tx: manage_variables.list_variables(tx, _cipher(settings)))
    text = json.dumps({each.key: _exported(each) for each in variables}, indent=4, ensure_ascii=False)
    if str(filepath) == "-":
        typer.echo(text)
        return
    write_private(filepath, text + "\n")
    typer.echo(f"{len(variables)} variables written to {filepath}")


def _row(variable: "manage_variables.Variable", rules: MaskingRules | None) -> dict[str, object]:
    shown = REPLACEMENT if rules is not None and rules.is_secret_name(variable.key) else variable.value
    return {"key": variable.key, "value": shown, "description": variable.description}


def _decoded(key: str, text: str) -> object:
    try:
        decoded: object = json.loads(text)
    except (ValueError, RecursionError):
        # The error would show the text.
        raise InvalidRequest(f"the value of variable {key!r} is no JSON") from None
    return decoded


def _given(key: str, value: object) -> "manage_variables.Variable":
    """One entry of a file: a value, or an object with a value and a description."""
    description = None
    if isinstance(value, dict) and _is_wrapped(value):
        description, value = value.get("description"), value["value"]
    return manage_variables.Variable(key, value if isinstance(value, str) else _as_text(value), description)


def _exported(variable: "manage_variables.Variable") -> object:
    """JSON as it is, so that people can read it; other text as text. What is read from it again is the same."""
    try:
        value: object = json.loads(variable.value)
    except (ValueError, RecursionError):
        value = variable.value
    if isinstance(value, str) or _as_text(value) != variable.value:
        value = variable.value
    if variable.description is not None:
        return {"value": value, "description": variable.description}
    return {"value": value} if isinstance(value, dict) and _is_wrapped(value) else value


def _is_wrapped(value: dict[str, object]) -> bool:
    return "value" in value and value.keys() <= {"value", "description"}


def _as_text(value: object) -> str:
    """As `Variable.set` writes it."""
    return json.dumps(value, indent=2)
