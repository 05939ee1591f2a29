"""`tradewind pools`: how many tasks of a kind may run at once."""

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer
from typer.core import TyperCommand

from tradewind.cli.deferred import Deferred
from tradewind.cli.deployment import opened
from tradewind.cli.groups import make_group
from tradewind.cli.options import LARGEST, OutputFormat
from tradewind.cli.output import Output, write_rows
from tradewind.errors import InvalidRequest, UnknownPool
from tradewind.model.pool import Pool

if TYPE_CHECKING:
    from tradewind.operations import manage_pools
    from tradewind.storage.interface import Transaction
else:
    manage_pools = Deferred("tradewind.operations.manage_pools")

app = make_group()

_NEGATIVE: Final = re.compile(r"-\d+")

Name = Annotated[str, typer.Argument(help="the pool")]


@app.command("list", help="list all pools")
def _list(output: OutputFormat = Output.TABLE) -> None:
    with opened() as wiring:
        pools = wiring.database.transact(lambda tx: tx.pools.all())
    write_rows([_row(pool) for pool in pools], output)


@app.command("get", help="show one pool")
def _get(name: Name, output: OutputFormat = Output.TABLE) -> None:
    with opened() as wiring:
        pool = wiring.database.transact(lambda tx: _find(tx, name))
    write_rows([_row(pool)], output)


class _WithNegativeNumber(TyperCommand):
    """Takes `-1` for what it is, and not for an option."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.ignore_unknown_options = any(_NEGATIVE.fullmatch(word) for word in args)
        return super().parse_args(ctx, args)


@app.command("set", cls=_WithNegativeNumber, help="create a pool, or change it")
def _set(
    name: Name,
    slots: Annotated[int, typer.Argument(max=LARGEST, help="how many slots it has; -1: no limit")],
    description: Annotated[str, typer.Argument(help="what it is for")],
    include_deferred: Annotated[
        bool, typer.Option("--include-deferred", help="deferred tasks keep their slots")
    ] = False,
    output: OutputFormat = Output.TABLE,
) -> None:
    pool = Pool(name, slots, include_deferred, description)
    with opened() as wiring:
        wiring.database.transact(lambda tx: manage_pools.set_pools(tx, [pool]))
    write_rows([_row(pool)], output)


@app.command("delete", help="delete a pool; tasks that name it wait until there is one of that name again")
def _delete(name: Name, output: OutputFormat = Output.TABLE) -> None:
    def work(tx: "Transaction") -> Pool:
        pool = _find(tx, name)
        manage_pools.delete_pool(tx, name)
        return pool

    with opened() as wiring:
        pool = wiring.database.transact(work)
    write_rows([_row(pool)], output)


@app.command("export", help="write all pools to a JSON file")
def _export(filepath: Annotated[Path, typer.Argument(dir_okay=False, help="where to")]) -> None:
    with opened() as wiring:
        pools = wiring.database.transact(lambda tx: tx.pools.all())
    content = {pool.name: {key: value for key, value in _row(pool).items() if key != "pool"} for pool in pools}
    filepath.write_text(json.dumps(content, indent=4, ensure_ascii=False) + "\n", encoding="utf-8")
    typer.echo(f"{len(pools)} pools written to {filepath}")


@app.command("import", help="create and change pools as a JSON file says")
def _import(filepath: Annotated[Path, typer.Argument(exists=True, dir_okay=False, help="what `export` wrote")]) -> None:
    pools = _read(filepath)
    with opened() as wiring:
        wiring.database.transact(lambda tx: manage_pools.set_pools(tx, pools))
    typer.echo(f"{len(pools)} pools read from {filepath}")


def _find(tx: "Transaction", name: str) -> Pool:
    pool = tx.pools.find(name)
    if pool is None:
        raise UnknownPool(name)
    return pool


def _row(pool: Pool) -> dict[str, object]:
    return {
        "pool": pool.name,
        "slots": pool.slots,
        "description": pool.description,
        "include_deferred": pool.include_deferred,
    }


def _read(filepath: Path) -> list[Pool]:
    try:
        content = json.loads(filepath.read_text(encoding="utf-8"))
        return [
            Pool(str(name), int(fields["slots"]), bool(fields.get("include_deferred", False)), fields["description"])
            for name, fields in content.items()
        ]
    except (ValueError, AttributeError, TypeError, RecursionError) as error:
        raise InvalidRequest(f"{filepath} is not what `tradewind pools export` writes: {error}") from error
    except KeyError as error:
        raise InvalidRequest(f"{filepath}: a pool has no {error}; each needs slots and description") from error
