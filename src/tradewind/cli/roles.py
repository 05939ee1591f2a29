"""`tradewind roles`: what users may be. Rights of roles of your own come from `access_control` of DAGs."""

from typing import TYPE_CHECKING, Annotated

import typer

from tradewind.cli.deferred import Deferred
from tradewind.cli.deployment import opened
from tradewind.cli.groups import make_group
from tradewind.cli.options import OutputFormat
from tradewind.cli.output import Output, write_rows
from tradewind.model.account import BuiltInRole

if TYPE_CHECKING:
    from tradewind.operations import manage_roles
else:
    manage_roles = Deferred("tradewind.operations.manage_roles")

app = make_group()

Names = Annotated[list[str], typer.Argument(metavar="ROLE...", help="the roles")]


@app.command("list", help="list all roles")
def _list(output: OutputFormat = Output.TABLE) -> None:
    with opened() as wiring:
        roles = wiring.database.transact(manage_roles.list_roles)
    built_in = {role.value for role in BuiltInRole}
    write_rows([{"name": role, "is_built_in": role in built_in} for role in roles], output)


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
