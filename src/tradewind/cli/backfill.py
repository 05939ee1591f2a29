"""`tradewind backfill`: runs of a DAG over a range of past dates."""

from datetime import timedelta
from typing import TYPE_CHECKING, Annotated

import typer

from tradewind.cli.dag_runs import read_conf, user_name
from tradewind.cli.deferred import Deferred
from tradewind.cli.deployment import load_settings, opened, wired
from tradewind.cli.groups import make_group
from tradewind.cli.hints import tell_how_to_unpause
from tradewind.cli.options import LARGEST, DagId, OutputFormat
from tradewind.cli.output import Output, instant_text, write_rows
from tradewind.model.backfill import DEFAULT_MAX_ACTIVE_RUNS, Backfill, ReprocessBehavior
from tradewind.model.ids import BackfillKey

if TYPE_CHECKING:
    from tradewind.operations import find_run, manage_backfills, plan_backfill, start_backfill
    from tradewind.operations import structures as knowing
    from tradewind.storage.interface import Transaction
else:
    find_run = Deferred("tradewind.operations.find_run")
    knowing = Deferred("tradewind.operations.structures")
    manage_backfills = Deferred("tradewind.operations.manage_backfills")
    plan_backfill = Deferred("tradewind.operations.plan_backfill")
    start_backfill = Deferred("tradewind.operations.start_backfill")

app = make_group()

Key = Annotated[int, typer.Argument(metavar="BACKFILL_ID", min=0, max=2**63 - 1, help="the backfill")]


@app.command("create", help="ask for runs of all dates of a range; the scheduler makes and runs them")
def _create(
    dag_id: Annotated[str, typer.Option("--dag-id", help="the DAG")],
    from_date: Annotated[
        str, typer.Option("--from-date", metavar="DATE", help="the first logical date, or date of a partition")
    ],
    to_date: Annotated[
        str, typer.Option("--to-date", metavar="DATE", help="the last logical date, or date of a partition")
    ],
    dag_run_conf: Annotated[str | None, typer.Option(metavar="JSON", help="what the runs are given")] = None,
    max_active_runs: Annotated[
        int, typer.Option(max=LARGEST, help="how many of its runs run at once; the limit of the DAG does not count")
    ] = DEFAULT_MAX_ACTIVE_RUNS,
    reprocess_behavior: Annotated[
        ReprocessBehavior, typer.Option(help="which runs that there are already start over")
    ] = ReprocessBehavior.NONE,
    run_backwards: Annotated[bool, typer.Option("--run-backwards", help="from the last date to the first")] = False,
    run_on_latest_version: Annotated[
        bool | None,
        typer.Option(
            "--run-on-latest-version/--no-run-on-latest-version",
            help="with the DAG as it is when each run is made, or as it is now; by default as the DAG says",
        ),
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="only list the runs that would be made")] = False,
    output: OutputFormat = Output.TABLE,
) -> None:
    settings = load_settings()
    zone = settings.core.default_timezone
    request = plan_backfill.BackfillRequest(
        dag_id,
        find_run.read_instant(from_date, zone),
        find_run.read_instant(to_date, zone),
        run_backwards=run_backwards,
        conf=read_conf(dag_run_conf, "--dag-run-conf"),
        reprocess_behavior=reprocess_behavior,
        max_active_runs=max_active_runs,
        run_on_latest_version=run_on_latest_version,
        triggering_user_name=user_name(),
    )
    with wired(settings) as wiring:
        now, known = wiring.clock.now(), knowing.Structures()
        plan = wiring.database.read(lambda tx: plan_backfill.plan_backfill(tx, request, known, now))
        if dry_run:
            found = wiring.database.read(lambda tx: list(plan_backfill.runs_to_make(tx, plan, known)))
            dates = [
                {
                    "logical_date": instant_text(each.logical_date),
                    "partition_key": each.partition_key,
                    "partition_date": instant_text(each.partition_date),
                }
                for each in found
            ]
            write_rows(dates, output, when_empty="no run would be made")
            return
        rows = wiring.database.transact(lambda tx: [_row(tx, start_backfill.start_backfill(tx, plan, known, now))])
        record = wiring.database.read(lambda tx: tx.dags.find(dag_id))
    write_rows(rows, output)
    if record is not None and record.is_paused:
        tell_how_to_unpause(dag_id, "its runs wait")


@app.command("list", help="list the backfills of a DAG, and how far along they are")
def _list(dag_id: DagId, output: OutputFormat = Output.TABLE) -> None:
    with opened() as wiring:
        rows = wiring.database.read(
            lambda tx: [_row(tx, backfill) for backfill in manage_backfills.backfills_of(tx, dag_id)]
        )
    write_rows(rows, output, when_empty="there is no backfill of it")


@app.command("get", help="show one backfill, and how far along it is")
def _get(backfill_id: Key, output: OutputFormat = Output.TABLE) -> None:
    with opened() as wiring:
        row = wiring.database.read(lambda tx: _find(tx, backfill_id))
    write_rows([row], output)


@app.command("pause", help="let a backfill start no further run; what runs goes on")
def _pause(backfill_id: Key, output: OutputFormat = Output.TABLE) -> None:
    _set_paused(backfill_id, output, is_paused=True)


@app.command("unpause", help="let a paused backfill go on")
def _unpause(backfill_id: Key, output: OutputFormat = Output.TABLE) -> None:
    _set_paused(backfill_id, output, is_paused=False)


@app.command("cancel", help="make no further runs, and fail those that have not begun; what runs goes on")
def _cancel(backfill_id: Key, output: OutputFormat = Output.TABLE) -> None:
    with opened() as wiring:
        now = wiring.clock.now()

        def work(tx: "Transaction") -> dict[str, object]:
            manage_backfills.cancel_backfill(tx, BackfillKey(backfill_id), knowing.Structures(), now)
            return _find(tx, backfill_id)

        row = wiring.database.transact(work)
    write_rows([row], output)


def _set_paused(backfill_id: int, output: Output, *, is_paused: bool) -> None:
    with opened() as wiring:
        now = wiring.clock.now()

        def work(tx: "Transaction") -> dict[str, object]:
            manage_backfills.pause_backfill(tx, BackfillKey(backfill_id), now, is_paused=is_paused)
            return _find(tx, backfill_id)

        row = wiring.database.transact(work)
    write_rows([row], output)


def _find(tx: "Transaction", backfill_id: int) -> dict[str, object]:
    return _row(tx, manage_backfills.find_backfill(tx, BackfillKey(backfill_id)))


def _row(tx: "Transaction", backfill: Backfill) -> dict[str, object]:
    plan, progress = backfill.plan, manage_backfills.progress_of(tx, backfill)
    return {
        "id": backfill.key,
        "dag_id": plan.dag_id,
        "from_date": instant_text(plan.from_date),
        "to_date": instant_text(plan.to_date),
        "reprocess_behavior": plan.reprocess,
        "max_active_runs": plan.max_active_runs,
        "is_paused": backfill.is_paused,
        "completed_at": instant_text(backfill.completed_at),
        "progress": f"{progress.ended}/{progress.total}",
        "failed": progress.runs.failed,
        "remaining": _rounded(progress.remaining),
    }


def _rounded(remaining: timedelta | None) -> str | None:
    return None if remaining is None else str(timedelta(seconds=round(remaining.total_seconds())))
