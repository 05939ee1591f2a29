"""`tradewind users`: who may log in, and what they may do."""

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tradewind.cli.deferred import Deferred
from tradewind.cli.deployment import opened
from tradewind.cli.groups import make_group
from tradewind.cli.object_files import read_objects, write_objects
from tradewind.cli.options import OutputFormat
from tradewind.cli.output import Output, instant_text, write_rows
from tradewind.errors import InvalidRequest
from tradewind.model.account import Account, Profile

if TYPE_CHECKING:
    from tradewind.operations import manage_users
    from tradewind.secrets import passwords
    from tradewind.storage.interface import Transaction
else:
    manage_users = Deferred("tradewind.operations.manage_users")
    passwords = Deferred("tradewind.secrets.passwords")

app = make_group()

Username = Annotated[str | None, typer.Option("--username", "-u", help="the user, by name")]
Email = Annotated[str | None, typer.Option("--email", "-e", help="the user, by address")]
Role = Annotated[str, typer.Option("--role", "-r", help="the role: Viewer, User, Op, Admin or one of your own")]
Password = Annotated[
    str | None, typer.Option("--password", "-p", help="who can see the processes of the machine can see it too")
]
UseRandomPassword = Annotated[
    bool, typer.Option("--use-random-password", help="no password that anybody knows: for who logs in otherwise")
]


@app.command("list", help="list all users")
def _list(output: OutputFormat = Output.TABLE) -> None:
    with opened() as wiring:
        accounts = wiring.database.transact(lambda tx: tx.accounts.all())
    write_rows([_row(account) for account in accounts], output, when_empty="there is no user")


@app.command("create", help="create a user")
def _create(
    username: Annotated[str, typer.Option("--username", "-u", help="the name to log in with")],
    firstname: Annotated[str, typer.Option("--firstname", "-f", help="the first name")],
    lastname: Annotated[str, typer.Option("--lastname", "-l", help="the last name")],
    email: Annotated[str, typer.Option("--email", "-e", help="the address")],
    role: Role,
    password: Password = None,
    use_random_password: UseRandomPassword = False,
) -> None:
    profile = Profile(username, email or None, firstname, lastname, roles=frozenset({role}))
    hashed = passwords.hash_password(_password(password, is_random=use_random_password))
    with opened() as wiring:
        now = wiring.clock.now()
        wiring.database.transact(lambda tx: manage_users.create_user(tx, profile, hashed, now))
    typer.echo(f"user {username} has the role {role}")


@app.command("delete", help="delete a user, with all their tokens")
def _delete(username: Username = None, email: Email = None) -> None:
    name = _change(username, email, manage_users.delete_user)
    typer.echo(f"user {name} is deleted")


@app.command("reset-password", help="give a user another password; they are logged out everywhere")
def _reset_password(
    username: Username = None,
    email: Email = None,
    password: Password = None,
    use_random_password: UseRandomPassword = False,
) -> None:
    hashed = passwords.hash_password(_password(password, is_random=use_random_password))
    name = _change(username, email, lambda tx, name: manage_users.set_password(tx, name, hashed))
    typer.echo(f"user {name} has another password")


@app.command("add-role", help="give a user one more role")
def _add_role(role: Role, username: Username = None, email: Email = None) -> None:
    name = _change(username, email, lambda tx, name: manage_users.add_role(tx, name, role))
    typer.echo(f"user {name} has the role {role}")


@app.command("remove-role", help="take a role from a user")
def _remove_role(role: Role, username: Username = None, email: Email = None) -> None:
    name = _change(username, email, lambda tx, name: manage_users.remove_role(tx, name, role))
    typer.echo(f"user {name} has no longer the role {role}")


@app.command("export", help="write all users to a JSON file, without passwords")
def _export(filepath: Annotated[Path, typer.Argument(dir_okay=False, help="where to")]) -> None:
    with opened() as wiring:
        accounts = wiring.database.transact(lambda tx: tx.accounts.all())
    content = [_exported(account.profile) for account in accounts]
    write_objects(filepath, content)
    typer.echo(f"{len(content)} users written to {filepath}")


@app.command("import", help="create and change users as a JSON file says; new ones get random passwords")
def _import(filepath: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="what `export` wrote")]) -> None:
    profiles = _read(filepath)
    # Nobody knows them: `reset-password` gives them others.
    given = [(profile, passwords.hash_password(passwords.random_password())) for profile in profiles]
    with opened() as wiring:
        now = wiring.clock.now()
        created, changed = wiring.database.transact(lambda tx: manage_users.put_users(tx, given, now))
    typer.echo(f"{len(created)} users created, {len(changed)} changed")


def _password(given: str | None, *, is_random: bool) -> str:
    if is_random:
        return passwords.random_password()
    if given is not None:
        return given
    if not sys.stdin.isatty():
        return sys.stdin.readline().removesuffix("\n")
    answer: str = typer.prompt("Password", hide_input=True, confirmation_prompt="Again")
    return answer


def _change(username: str | None, email: str | None, change: Callable[["Transaction", str], None]) -> str:
    """Of one user, by name or by address. Returns the name."""
    if (username is None) == (email is None):
        raise InvalidRequest("name the user: either --username or --email")

    def work(tx: "Transaction") -> str:
        name = manage_users.find_user(tx, username, email).profile.name
        change(tx, name)
        return name

    with opened() as wiring:
        return wiring.database.transact(work)


def _row(account: Account) -> dict[str, object]:
    profile = account.profile
    return {
        "id": account.account_key,
        "username": profile.name,
        "email": profile.email,
        "first_name": profile.first_name,
        "last_name": profile.last_name,
        "roles": ", ".join(sorted(profile.roles)),
        "is_active": profile.is_active,
        "last_login": instant_text(account.last_login_at),
    }


def _exported(profile: Profile) -> dict[str, object]:
    return {
        "username": profile.name,
        "email": profile.email,
        "firstname": profile.first_name,
        "lastname": profile.last_name,
        "roles": sorted(profile.roles),
    }


def _read(filepath: Path) -> list[Profile]:
    try:
        return [_profile(fields) for fields in read_objects(filepath)]
    except KeyError as error:
        raise InvalidRequest(f"{filepath}: a user has no {error}; each needs username and roles") from error
    except TypeError as error:
        raise InvalidRequest(f"{filepath}: {error}") from error


def _profile(fields: Mapping[str, Any]) -> Profile:
    roles = fields["roles"]
    if not isinstance(roles, list):
        raise TypeError("roles have to be a list")
    email = fields.get("email") or None
    if email is not None and not isinstance(email, str):
        raise TypeError("an email has to be a text")
    return Profile(
        str(fields["username"]),
        email,
        str(fields.get("firstname", "")),
        str(fields.get("lastname", "")),
        roles=frozenset(map(str, roles)),
    )
