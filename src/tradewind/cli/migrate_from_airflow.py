"""`tradewind migrate-from-airflow`: take over what a deployment of Airflow has."""

import json
import shlex
import subprocess
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from tradewind.cli.deferred import Deferred
from tradewind.cli.deployment import load_settings, wired
from tradewind.cli.masked_url import masked_url
from tradewind.cli.progress import shown_progress
from tradewind.errors import CheckFailed, InvalidRequest, SettingsError
from tradewind.model.masking import REPLACEMENT

if TYPE_CHECKING:
    from tradewind import bootstrap
    from tradewind.operations.from_airflow import history as from_history
    from tradewind.operations.from_airflow import migrate, outcome, users
    from tradewind.operations.from_airflow.history import HistoryTally
    from tradewind.secrets import encryption, passwords
    from tradewind.storage.interface.airflow_source import AirflowSource, AirflowUser
else:
    bootstrap = Deferred("tradewind.bootstrap")
    encryption = Deferred("tradewind.secrets.encryption")
    from_history = Deferred("tradewind.operations.from_airflow.history")
    migrate = Deferred("tradewind.operations.from_airflow.migrate")
    outcome = Deferred("tradewind.operations.from_airflow.outcome")
    passwords = Deferred("tradewind.secrets.passwords")
    users = Deferred("tradewind.operations.from_airflow.users")

KINDS: Final = ("connections", "variables", "pools", "users", "pauses", "history")
_ALL: Final = "all"
_MOST_DAYS: Final = 365 * 1000
_SIGNS: Final = {"copy": "+", "replace": ">", "differs": "~", "left out": "-", "impossible": "!"}
_SHOWN: Final = (
    *("db", "fernet_key", "fernet_key_file", "fernet_key_cmd", "history", "xcoms", "only"),
    *("simple_auth_users", "simple_auth_passwords", "overwrite"),
)
_PATIENCE_S: Final = 60
"""For a command that prints the key."""


def command(
    context: typer.Context,
    db: Annotated[
        str,
        typer.Option("--db", metavar="URL", envvar="TRADEWIND_AIRFLOW_DB", help="of Airflow's metadata database"),
    ],
    fernet_key: Annotated[
        str | None,
        typer.Option("--fernet-key", metavar="KEY", help="Airflow's [core] fernet_key; by default ours is tried"),
    ] = None,
    fernet_key_file: Annotated[
        Path | None,
        typer.Option("--fernet-key-file", exists=True, dir_okay=False, help="a file that has it"),
    ] = None,
    fernet_key_cmd: Annotated[
        str | None, typer.Option("--fernet-key-cmd", metavar="COMMAND", help="a command that prints it")
    ] = None,
    history: Annotated[
        str | None, typer.Option("--history", metavar="DAYS|all", help="also runs of so many days that are over")
    ] = None,
    xcoms: Annotated[bool, typer.Option("--xcoms", help="with the history, also what tasks left for others")] = False,
    only: Annotated[
        str | None, typer.Option("--only", metavar="KINDS", help=f"some of {', '.join(KINDS)}, with commas")
    ] = None,
    simple_auth_users: Annotated[
        str | None,
        typer.Option("--simple-auth-users", metavar="NAME:ROLE,…", help="Airflow's [core] simple_auth_manager_users"),
    ] = None,
    simple_auth_passwords: Annotated[
        Path | None,
        typer.Option(
            "--simple-auth-passwords",
            exists=True,
            dir_okay=False,
            help="their passwords: Airflow's [core] simple_auth_manager_passwords_file",
        ),
    ] = None,
    overwrite: Annotated[
        bool, typer.Option("--overwrite", help="replace what is here and differs; passwords of users stay")
    ] = False,
    apply: Annotated[bool, typer.Option("--apply", help="do it, rather than only tell what would be done")] = False,
) -> None:
    """Copy connections, variables, pools, users, which DAGs are paused and, by choice, the history of runs.

    Airflow's database is only read, all of it as it is at one moment. Without --apply nothing is written anywhere: what
    would be done is told. To copy again changes nothing but what has come since.
    """
    kinds, age = _kinds(only, history), _age(history)
    if xcoms and "history" not in kinds:
        raise typer.BadParameter("--xcoms goes with --history")
    key = _key(fernet_key, fernet_key_file, fernet_key_cmd)
    named = _simple_users(simple_auth_users, simple_auth_passwords)
    settings = load_settings()
    ours = encryption.Encryption.from_setting(settings.core.fernet_key)
    theirs = ours if key is None else _cipher(key)
    with wired(settings) as wiring, bootstrap.airflow_source(db) as source:
        now = wiring.clock.now()
        typer.echo(f"{source.version}, {masked_url(db)}")
        runs = from_history.HistoryWish(None if age is None else now - age, with_xcoms=xcoms)
        wish = migrate.Wish(kinds, runs, named, is_key_given=key is not None)
        choice = outcome.Choice(theirs, ours, now, writes=apply, overwrites=overwrite)
        total = source.history.count_runs(runs.since) if "history" in kinds else 0
        with shown_progress("history", total) as advance:
            outcomes, tally = migrate.migrate(
                wiring.database,
                source,
                wish,
                choice,
                can_be_used=passwords.is_known_hash,
                advance=advance,
            )
        _tell(outcomes, tally, source, is_done=apply)
    if not apply:
        _tell_how({name: value for name, value in context.params.items() if name in _SHOWN})
    elif any(each.fate == "impossible" for found in outcomes.values() for each in found):
        raise typer.Exit(1)


def _kinds(only: str | None, history: str | None) -> "list[outcome.Kind]":
    if only is None:
        names = [name for name in KINDS if name != "history" or history is not None]
    else:
        given = [name.strip() for name in only.split(",") if name.strip()]
        unknown = next((name for name in given if name not in KINDS), None)
        if unknown is not None or not given:
            raise typer.BadParameter(f"--only takes some of {', '.join(KINDS)}, not {unknown or 'nothing'!r}")
        names = [name for name in KINDS if name in given or (name == "history" and history is not None)]
    return [outcome.Kind(name) for name in names]


def _age(history: str | None) -> timedelta | None:
    """How old runs may be that are copied; None: of any age."""
    if history in (None, _ALL):
        return None
    if not history.isdecimal() or int(history) > _MOST_DAYS:
        raise typer.BadParameter(f"--history takes a number of days up to {_MOST_DAYS} or {_ALL!r}, not {history!r}")
    return timedelta(days=int(history))


def _key(text: str | None, file: Path | None, words: str | None) -> str | None:
    if sum(each is not None for each in (text, file, words)) > 1:
        raise typer.BadParameter("give the key, or a file, or a command, not several of them")
    if file is not None:
        return file.read_text(encoding="utf-8").strip()
    if words is None:
        return text
    try:
        ran = subprocess.run(shlex.split(words), capture_output=True, text=True, check=True, timeout=_PATIENCE_S)
    except (subprocess.SubprocessError, ValueError) as error:
        raise CheckFailed(f"the command of --fernet-key-cmd failed: {type(error).__name__}") from None
    return ran.stdout.strip()


def _cipher(key: str) -> "encryption.Encryption":
    try:
        cipher = encryption.Encryption.from_setting(key)
    except SettingsError:  # which speaks of our own
        raise InvalidRequest("the key that was given is no Fernet key") from None
    if not cipher.has_key:
        raise InvalidRequest("the key that was given is empty")
    return cipher


def _simple_users(text: str | None, file: Path | None) -> "tuple[AirflowUser, ...]":
    """Those that a configuration names. Their passwords are known, so they get hashes of ours."""
    if text is None:
        if file is not None:
            raise typer.BadParameter("--simple-auth-passwords is for the users of --simple-auth-users")
        return ()
    named = users.simple_users(text)
    known = {} if file is None else _passwords(file)
    return tuple(
        replace(user, password_hash=passwords.hash_password(known[name]))
        if (name := user.profile.name) in known
        else user
        for user in named
    )


def _passwords(file: Path) -> Mapping[str, str]:
    try:
        content = json.loads(file.read_text(encoding="utf-8"))
    except ValueError:
        raise InvalidRequest(f"{file} is no JSON") from None
    if not isinstance(content, dict) or not all(isinstance(value, str) for value in content.values()):
        raise InvalidRequest(f"{file} has to be an object of names and passwords")
    return content


def _tell(
    outcomes: "Mapping[outcome.Kind, Sequence[outcome.Outcome]]",
    tally: "HistoryTally",
    source: "AirflowSource",
    *,
    is_done: bool,
) -> None:
    for kind, found in outcomes.items():
        typer.echo(f"{kind}: {_counts(found, is_done=is_done)}")
        for each in found:
            if each.fate in _SIGNS:
                typer.echo(_line(each))
        if kind == "users" and not source.has_users:
            typer.echo("  Airflow has none in this database: its simple auth manager has them in its configuration,")
            typer.echo("  which --simple-auth-users and --simple-auth-passwords take")
        if kind == "history":
            typer.echo(
                f"  {tally.tasks} task instances, {tally.tries} earlier tries, {tally.inquiries} questions to people,"
                f" {tally.xcoms} XComs"
            )
            if not source.history.has_conf:
                typer.echo("  without the conf of runs and XComs, which Airflow 2 keeps as code to be executed")


def _counts(found: "Sequence[outcome.Outcome]", *, is_done: bool) -> str:
    words = {
        "copy": "copied" if is_done else "to copy",
        "replace": "replaced" if is_done else "to replace",
        "same": "here already",
        "differs": "here and different: kept, --overwrite replaces them",
        "left out": "left out",
        "impossible": "cannot be copied",
    }
    counts = Counter[str]()
    for each in found:
        counts[each.fate] += each.count
    return ", ".join(f"{counts[fate]} {text}" for fate, text in words.items() if counts[fate]) or "none"


def _line(each: "outcome.Outcome") -> str:
    number = "" if each.count <= 1 else f" ({each.count})"
    line = f"{each.name}{number}" + (f": {each.why}" if each.why else "")
    # Whatever another database has for a name, the terminal must not take it for an order.
    return f"  {_SIGNS[each.fate]} {line if line.isprintable() else repr(line)}"


def _tell_how(options: "Mapping[str, object]") -> None:
    """The command that does it, without what is secret in it."""
    words = [word for name, value in options.items() if value for word in _words(name, value)]
    typer.echo("Nothing was written. To do it:")
    typer.echo(f"  tradewind migrate-from-airflow {shlex.join(words)} --apply")


def _words(name: str, value: object) -> list[str]:
    option = f"--{name.replace('_', '-')}"
    if value is True:
        return [option]
    match name:
        case "db":
            return [option, masked_url(str(value))]
        case "fernet_key":
            return [option, REPLACEMENT]
        case _:
            return [option, str(value)]
