"""`tradewind assets`: what DAGs wait for and produce."""

import secrets
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Final

import typer

from tradewind.cli.columns import choose_columns
from tradewind.cli.deferred import Deferred
from tradewind.cli.deployment import load_settings, opened, wired
from tradewind.cli.groups import make_group
from tradewind.cli.options import OutputFormat
from tradewind.cli.output import Output, instant_text, write_rows
from tradewind.errors import InvalidRequest, NotFound
from tradewind.model.listing import Condition, Listed, Query, Test

if TYPE_CHECKING:
    from tradewind.model import run_ids, states
    from tradewind.model.run import Run
    from tradewind.operations import materialize_asset, structures, trigger_run
    from tradewind.storage.interface import Transaction
else:
    materialize_asset = Deferred("tradewind.operations.materialize_asset")
    run_ids = Deferred("tradewind.model.run_ids")
    states = Deferred("tradewind.model.states")
    structures = Deferred("tradewind.operations.structures")
    trigger_run = Deferred("tradewind.operations.trigger_run")

app = make_group()

_SHOWN: Final = ("name", "uri", "group", "extra")
_MORE: Final = ("id", "created_at", "updated_at", "last_event_at")
_OF_WATCHERS: Final = (
    *("name", "asset", "dag_id", "class_path", "triggerer_id", "events", "failures", "error"),
    *("blocked_count", "is_quarantined", "last_blocked_stack"),
    *("failed_at", "last_blocked", "trigger_id", "asset_id", "created_date"),
)

Name = Annotated[str | None, typer.Option(help="by its name")]
Uri = Annotated[str | None, typer.Option(help="by its URI")]
IsAlias = Annotated[bool, typer.Option("--alias", help="aliases of assets, rather than assets")]


@app.command("list", help="list the assets, or the aliases, that DAGs name")
def _list(
    alias: IsAlias = False,
    columns: Annotated[
        str | None, typer.Option(metavar="NAMES", help=f"some of {', '.join((*_SHOWN, *_MORE))}; with commas")
    ] = None,
    output: OutputFormat = Output.TABLE,
) -> None:
    with opened() as wiring:
        rows = wiring.database.read(lambda tx: _rows(tx, is_alias=alias))
    known = ("name", "group", "id") if alias else (*_SHOWN, *_MORE)
    shown = ("name", "group") if alias else _SHOWN
    write_rows(choose_columns(rows, columns or ",".join(shown), known), output, when_empty="there is none")


@app.command("details", help="show one asset, or one alias")
def _details(alias: IsAlias = False, name: Name = None, uri: Uri = None, output: OutputFormat = Output.TABLE) -> None:
    if alias and uri is not None:
        raise typer.BadParameter("an alias has no URI: give --name")
    with opened() as wiring:
        row = wiring.database.read(lambda tx: _find(tx, name, uri, is_alias=alias))
    write_rows([row], output)


@app.command("watchers", help="list what looks out for updates of assets: who runs it, and what went wrong with it")
def _watchers(
    columns: Annotated[
        str | None, typer.Option(metavar="NAMES", help=f"some of {', '.join(_OF_WATCHERS)}; with commas")
    ] = None,
    output: OutputFormat = Output.TABLE,
) -> None:
    with opened() as wiring:
        page = wiring.database.read(lambda tx: tx.listings.page(Listed.WATCHERS, Query((), is_counted=False)))
    shown = columns or ",".join(_OF_WATCHERS[:11])
    write_rows(
        choose_columns([_plain(row) for row in page.rows], shown, _OF_WATCHERS), output, when_empty="there is none"
    )


@app.command("materialize", help="ask for a run of the DAG that produces an asset")
def _materialize(name: Name = None, uri: Uri = None, output: OutputFormat = Output.TABLE) -> None:
    settings = load_settings()
    suffix = secrets.token_hex(run_ids.RUN_ID_SUFFIX_LENGTH // 2)
    with wired(settings) as wiring:
        now = wiring.clock.now()

        def work(tx: "Transaction") -> "Run":
            asset = _find(tx, name, uri, is_alias=False)
            request = trigger_run.RunRequest(
                materialize_asset.producer_of(tx, int(str(asset["id"]))),
                run_type=states.RunType.ASSET_MATERIALIZATION,
                triggered_by=states.TriggeredBy.CLI,
            )
            return trigger_run.trigger_run(tx, request, structures.Structures(), now, suffix=suffix)

        run = wiring.database.transact(work)
    write_rows([{"dag_id": run.dag_id, "run_id": run.run_id, "state": run.state, "run_type": run.run_type}], output)


def _rows(tx: "Transaction", *, is_alias: bool, conditions: tuple[Condition, ...] = ()) -> list[dict[str, object]]:
    if not is_alias:
        conditions = (*conditions, Condition("is_active", Test.IS, True))
    what = Listed.ASSET_ALIASES if is_alias else Listed.ASSETS
    return [_plain(row) for row in tx.listings.page(what, Query(conditions, is_counted=False)).rows]


def _find(tx: "Transaction", name: str | None, uri: str | None, *, is_alias: bool) -> dict[str, object]:
    if name is None and uri is None:
        raise InvalidRequest("give --name" if is_alias else "give --name or --uri")
    given = (("name", name), ("uri", uri))
    conditions = tuple(Condition(field, Test.IS, value) for field, value in given if value is not None)
    found = _rows(tx, is_alias=is_alias, conditions=conditions)
    if not found:
        words = " and ".join(f"{field} {value!r}" for field, value in given if value is not None)
        raise NotFound(f"there is no {'alias' if is_alias else 'asset'} with the {words}")
    return found[0]


def _plain(row: Mapping[str, object]) -> dict[str, object]:
    return {name: instant_text(value) if isinstance(value, datetime) else value for name, value in row.items()}
