"""`tradewind dags`: what is done with a DAG and its runs."""

import getpass
import json
import secrets
from functools import partial
from typing import TYPE_CHECKING, Annotated

import typer

from tradewind.cli.deferred import Deferred
from tradewind.cli.deployment import load_settings, wired
from tradewind.cli.hints import tell_how_to_unpause
from tradewind.cli.options import EndDate, OutputFormat, RunOrDate, StartDate, Yes
from tradewind.cli.output import Output, instant_text, write_rows
from tradewind.model.run_ids import RUN_ID_SUFFIX_LENGTH
from tradewind.model.states import RunState, TriggeredBy

if TYPE_CHECKING:
    from tradewind.model.json_value import JsonValue
    from tradewind.model.run import Run
    from tradewind.operations import delete as delete_operation
    from tradewind.operations import find_run as finding
    from tradewind.operations import list_runs, match_dags, pause_dag, structures, trigger_run
else:
    delete_operation = Deferred("tradewind.operations.delete")
    finding = Deferred("tradewind.operations.find_run")
    list_runs = Deferred("tradewind.operations.list_runs")
    match_dags = Deferred("tradewind.operations.match_dags")
    pause_dag = Deferred("tradewind.operations.pause_dag")
    structures = Deferred("tradewind.operations.structures")
    trigger_run = Deferred("tradewind.operations.trigger_run")


DagId = Annotated[str, typer.Argument(help="the DAG")]
AsPattern = Annotated[
    bool, typer.Option("--treat-dag-id-as-regex", help="all DAGs in whose ids this regular expression is found")
]


def trigger(
    dag_id: DagId,
    conf: Annotated[str | None, typer.Option("--conf", "-c", metavar="JSON", help="what the run is given")] = None,
    run_id: Annotated[str | None, typer.Option("--run-id", "-r", help="what the run shall be called")] = None,
    logical_date: Annotated[str | None, typer.Option("--logical-date", "-l", metavar="DATE")] = None,
    no_replace_microseconds: Annotated[
        bool, typer.Option("--no-replace-microseconds", help="keep the microseconds of the logical date")
    ] = False,
    output: OutputFormat = Output.TABLE,
) -> None:
    """Ask for a run now."""
    settings = load_settings()
    date = None if logical_date is None else finding.read_instant(logical_date, settings.core.default_timezone)
    if date is not None and not no_replace_microseconds:
        date = date.replace(microsecond=0)
    request = trigger_run.RunRequest(
        dag_id,
        run_id,
        logical_date=date,
        conf=read_conf(conf),
        triggered_by=TriggeredBy.CLI,
        triggering_user_name=user_name(),
    )
    suffix = secrets.token_hex(RUN_ID_SUFFIX_LENGTH // 2)
    pattern = settings.scheduler.allowed_run_id_pattern
    with wired(settings) as wiring:
        now = wiring.clock.now()
        run = wiring.database.transact(
            lambda tx: trigger_run.trigger_run(
                tx, request, structures.Structures(), now, suffix=suffix, run_id_pattern=pattern
            )
        )
        dag = wiring.database.read(lambda tx: tx.dags.find(dag_id))
    write_rows([{"conf": run.conf, **_row(run)}], output)
    if dag is not None and dag.is_paused:
        tell_how_to_unpause(dag_id, "the run waits")


def pause(dag_id: DagId, as_pattern: AsPattern = False, yes: Yes = False, output: OutputFormat = Output.TABLE) -> None:
    """Let a DAG start nothing new."""
    _set_paused(dag_id, as_pattern=as_pattern, yes=yes, output=output, is_paused=True)


def unpause(
    dag_id: DagId, as_pattern: AsPattern = False, yes: Yes = False, output: OutputFormat = Output.TABLE
) -> None:
    """Let a paused DAG go on."""
    _set_paused(dag_id, as_pattern=as_pattern, yes=yes, output=output, is_paused=False)


def list_(
    dag_id: DagId,
    state: Annotated[RunState | None, typer.Option(help="only runs in this state")] = None,
    start_date: StartDate = None,
    end_date: EndDate = None,
    no_backfill: Annotated[bool, typer.Option("--no-backfill", help="leave out the runs of backfills")] = False,
    output: OutputFormat = Output.TABLE,
) -> None:
    """List the runs of a DAG, the newest first."""
    settings = load_settings()
    zone = settings.core.default_timezone
    wanted = list_runs.RunFilter(
        state,
        None if start_date is None else finding.read_instant(start_date, zone),
        None if end_date is None else finding.read_instant(end_date, zone),
        with_backfills=not no_backfill,
    )
    with wired(settings) as wiring:
        runs = wiring.database.transact(lambda tx: list_runs.list_runs(tx, dag_id, wanted))
    write_rows([_row(run) for run in runs], output, when_empty="there is no such run")


def state(dag_id: DagId, run: RunOrDate) -> None:
    """Tell the state of a run."""
    settings = load_settings()
    with wired(settings) as wiring:
        found = wiring.database.transact(lambda tx: finding.find_run(tx, dag_id, run, settings.core.default_timezone))
    typer.echo(found.state)


def delete(dag_id: DagId, yes: Yes = False) -> None:
    """Delete what is stored of a DAG."""
    with wired(load_settings()) as wiring:
        if not yes:
            typer.confirm(f"Delete all that is stored of DAG {dag_id}, with its runs?", abort=True)
        wiring.database.transact(lambda tx: delete_operation.delete_dag(tx, dag_id))
    typer.echo(f"deleted {dag_id}; it comes back if a file still has it")


def _set_paused(dag_id: str, *, as_pattern: bool, yes: bool, output: Output, is_paused: bool) -> None:
    with wired(load_settings()) as wiring:
        now = wiring.clock.now()
        chosen = wiring.database.transact(lambda tx: match_dags.match_dags(tx, dag_id, is_pattern=as_pattern))
        if as_pattern and not yes:
            typer.echo("\n".join(chosen))
            typer.confirm(f"{'Pause' if is_paused else 'Unpause'} these {len(chosen)} DAGs?", abort=True)
        for name in chosen:  # each on its own: locks of runs of one DAG must not precede that of another
            wiring.database.transact(partial(pause_dag.pause_dag, dag_id=name, now=now, is_paused=is_paused))
    write_rows([{"dag_id": name, "is_paused": is_paused} for name in chosen], output)


def _row(run: "Run") -> dict[str, object]:
    return {
        "dag_id": run.dag_id,
        "run_id": run.run_id,
        "state": run.state,
        "run_type": run.run_type,
        "run_after": instant_text(run.run_after),
        "logical_date": instant_text(run.logical_date),
        "start_date": instant_text(run.started_at),
        "end_date": instant_text(run.finished_at),
    }


def read_conf(text: str | None, option: str = "--conf") -> "JsonValue":
    """What runs are given, as a JSON object.

    Raises:
        typer.BadParameter: it is none.
    """
    if text is None:
        return None
    try:
        conf: JsonValue = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise typer.BadParameter(f"is no JSON: {error}", param_hint=option) from None
    if not isinstance(conf, dict):
        raise typer.BadParameter(f"must be a JSON object, such as {{}}, not {text}", param_hint=option)
    return conf


def user_name() -> str | None:
    """Who asks, as far as the system knows."""
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # the system knows no name for this user
        return None
