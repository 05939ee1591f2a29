"""`tradewind roles`: what users may be. Rights of roles of your own come from `access_control` of DAGs."""

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from tradewind.cli.deferred import Deferred
from tradewind.cli.deployment import opened
from tradewind.cli.groups import make_group
from tradewind.cli.object_files import read_objects, write_objects
from tradewind.cli.options import OutputFormat
from tradewind.cli.output import Output, write_rows
from tradewind.errors import InvalidRequest
from tradewind.model.account import BuiltInRole, DagGrants

if TYPE_CHECKING:
    from tradewind.operations import manage_roles
    from tradewind.storage.interface import Transaction
else:
    manage_roles = Deferred("tradewind.operations.manage_roles")

app = make_group()

_BUILT_IN: Final = frozenset(role.value for role in BuiltInRole)
_OF_DAGS: Final = (
    "roles have no permissions of their own here: a DAG grants them, as in"
    ' DAG(..., access_control={"night shift": {"can_read", "can_edit"}})'
)

Names = Annotated[list[str], typer.Argument(metavar="ROLE...", help="the roles")]
Resources = Annotated[list[str] | None, typer.Option("--resource", "-r", help="accepted, and refused with the reason")]
Actions = Annotated[list[str] | None, typer.Option("--action", "-a", help="accepted, and refused with the reason")]


@app.command("list", help="list all roles; with --permission, also what DAGs let them do")
def _list(
    output: OutputFormat = Output.TABLE,
    permission: Annotated[bool, typer.Option("--permission", "-p", help="show what DAGs let them do")] = False,
) -> None:
    with opened() as wiring:
        roles, grants = wiring.database.transact(_roles_and_grants)
    if permission:
        rows = [row for role in roles for row in _granted(role, grants)]
    else:
        rows = [{"name": role, "is_built_in": role in _BUILT_IN} for role in roles]
    write_rows(rows, output)


@app.command("create", help="create roles; DAGs grant them rights by access_control")
def _create(role: Names) -> None:
    with opened() as wiring:
        wiring.database.transact(lambda tx: manage_roles.create_roles(tx, role))
    typer.echo(f"{len(role)} roles created")


@app.command("delete", help="delete roles, and take them from all who have them")
def _delete(role: Names) -> None:
    with opened() as wiring:
        wiring.database.transact(lambda tx: manage_roles.delete_roles(tx, role))
    typer.echo(f"{len(role)} roles deleted")


@app.command("add-perms", help="not here: DAGs grant rights by access_control")
def _add_perms(_role: Names, _resource: Resources = None, _action: Actions = None) -> None:
    raise InvalidRequest(_OF_DAGS)


@app.command("del-perms", help="not here: DAGs grant rights by access_control")
def _del_perms(_role: Names, _resource: Resources = None, _action: Actions = None) -> None:
    raise InvalidRequest(_OF_DAGS)


@app.command("export", help="write the roles of your own to a JSON file, with what DAGs let them do")
def _export(
    file: Annotated[Path, typer.Argument(dir_okay=False, help="where to")],
    pretty: Annotated[bool, typer.Option("--pretty", "-p", help="with a line for each value")] = False,
) -> None:
    with opened() as wiring:
        roles, grants = wiring.database.transact(_roles_and_grants)
    own = [role for role in roles if role not in _BUILT_IN]
    write_objects(file, [row for role in own for row in _granted(role, grants)], is_pretty=pretty)
    typer.echo(f"{len(own)} roles written to {file}")


@app.command("import", help="create the roles of a JSON file; what they may do is said by DAGs")
def _import(file: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="what `export` wrote")]) -> None:
    rows = read_objects(file)
    names = [_name(row, file) for row in rows]
    with opened() as wiring:
        created = wiring.database.transact(lambda tx: manage_roles.create_missing_roles(tx, names))
    left_out = sum(1 for row in rows if row.get("action"))
    hint = f"; {left_out} permissions left out: DAGs grant them by access_control" if left_out else ""
    typer.echo(f"{len(created)} roles created{hint}")


def _roles_and_grants(tx: "Transaction") -> tuple[list[str], Mapping[str, DagGrants]]:
    return manage_roles.list_roles(tx), manage_roles.list_grants(tx)


def _granted(role: str, grants: Mapping[str, DagGrants]) -> list[dict[str, object]]:
    """A row for each DAG, in the words of Airflow; one without a DAG where there is none."""
    rows: list[dict[str, object]] = [
        {"name": role, "resource": f"DAG:{dag_id}", "action": ",".join(f"can_{right}" for right in sorted(rights))}
        for dag_id, rights in grants.get(role, {}).items()
    ]
    return rows or [{"name": role, "resource": "", "action": ""}]


def _name(row: Mapping[str, Any], file: Path) -> str:
    name = row.get("name")
    if not isinstance(name, str):
        raise InvalidRequest(f"{file}: a role has no name")
    return name
