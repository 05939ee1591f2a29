"""`tradewind dags`: which runs are to come, and what holds them back."""

from datetime import timedelta
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from tradewind.cli.deferred import Deferred
from tradewind.cli.deployment import load_settings, wired
from tradewind.cli.hints import tell_how_to_unpause
from tradewind.cli.options import LARGEST, DagId, OutputFormat
from tradewind.cli.output import Output, instant_text, write_rows

if TYPE_CHECKING:
    from tradewind.decide.explain import Reason
    from tradewind.decide.load import Wait
    from tradewind.decide.simulate import SimulatedRun
    from tradewind.decide.timetables import Partition
    from tradewind.model.timetable import RunInfo
    from tradewind.operations import explain as explaining
    from tradewind.operations import explain_run, find_run, foresee_runs, simulate_dag, waiting_slots
    from tradewind.operations import structures as knowing
else:
    explaining = Deferred("tradewind.operations.explain")
    explain_run = Deferred("tradewind.operations.explain_run")
    find_run = Deferred("tradewind.operations.find_run")
    foresee_runs = Deferred("tradewind.operations.foresee_runs")
    knowing = Deferred("tradewind.operations.structures")
    simulate_dag = Deferred("tradewind.operations.simulate_dag")
    waiting_slots = Deferred("tradewind.operations.waiting_slots")


class RunField(StrEnum):
    """What is told of a run to come."""

    LOGICAL_DATE = "logical_date"
    INTERVAL_START = "data_interval.start"
    INTERVAL_END = "data_interval.end"
    PARTITION_KEY = "partition_key"
    PARTITION_DATE = "partition_date"
    RUN_AFTER = "run_after"


def waiting(
    dag_id: Annotated[str | None, typer.Argument(help="of one DAG only")] = None, output: OutputFormat = Output.TABLE
) -> None:
    """List the ticks that have come and wait for assets."""
    with wired(load_settings()) as wiring:
        rows = wiring.database.read(lambda tx: waiting_slots.waiting_slots(tx, dag_id, knowing.Structures()))
    shown = [
        {
            "dag_id": row.slot.dag_id,
            "tick": instant_text(row.slot.info.run_after),
            "missing": row.missing or "",
            "since": instant_text(row.slot.created_at),
            "deadline": instant_text(row.slot.deadline_at),
        }
        for row in rows
    ]
    write_rows(shown, output, when_empty="no tick waits for assets")


def next_execution(
    dag_id: DagId,
    num_executions: Annotated[
        int, typer.Option("--num-executions", "-n", min=1, max=LARGEST, help="of how many runs")
    ] = 1,
    field: Annotated[RunField | None, typer.Option(help="what to tell of each")] = None,
    table: Annotated[bool, typer.Option("--table", help="tell everything, as a table")] = False,
) -> None:
    """Tell the logical dates of the runs to come."""
    with wired(load_settings()) as wiring:
        now = wiring.clock.now()
        foreseen = wiring.database.read(
            lambda tx: foresee_runs.foresee_runs(tx, dag_id, knowing.Structures(), now, count=num_executions)
        )
    for reason in foreseen.held_back_by:
        typer.echo(reason.text, err=True)
    rows = [
        {
            **_fields(info),
            **({} if partition is None else _partition(partition)),
            "clocks": None if change is None else _moved(change),
        }
        for info, partition, change in zip(foreseen.runs, foreseen.partitions, foreseen.clock_changes, strict=True)
    ]
    if table:
        write_rows(rows, Output.TABLE, when_empty="no run is to come")
        return
    for row in rows or [{}]:
        typer.echo(str(row.get(field or RunField.LOGICAL_DATE)))


def simulate(
    dag_id: DagId,
    until: Annotated[str, typer.Option("--to", metavar="DATE", help="up to when")],
    since: Annotated[str | None, typer.Option("--from", metavar="DATE", help="from when; by default from now")] = None,
    max_active_runs: Annotated[
        int | None, typer.Option(min=1, max=LARGEST, help="instead of what the DAG says")
    ] = None,
    duration: Annotated[
        float | None,
        typer.Option(min=0, max=LARGEST, help="seconds that a run takes; by default as its tasks and limits make it"),
    ] = None,
    limit: Annotated[int, typer.Option(min=1, max=LARGEST, help="at most so many runs")] = 1000,
    schedule: Annotated[
        str | None, typer.Option(metavar="CRON", help="a cron expression instead of the DAG's schedule")
    ] = None,
    timezone: Annotated[
        str | None, typer.Option(help="in which it is meant; by default in that of the schedule")
    ] = None,
    catchup: Annotated[bool | None, typer.Option("--catchup/--no-catchup", help="instead of what the DAG says")] = None,
    task_duration: Annotated[
        list[str] | None,
        typer.Option(metavar="TASK=SECONDS", help="instead of how long it took in the last runs; may be repeated"),
    ] = None,
    pool: Annotated[
        list[str] | None, typer.Option(metavar="NAME=SLOTS", help="instead of those that it has; may be repeated")
    ] = None,
    max_active_tasks: Annotated[
        int | None, typer.Option(min=1, max=LARGEST, help="of a run, instead of what the DAG says")
    ] = None,
    parallelism: Annotated[
        int | None, typer.Option(min=1, max=LARGEST, help="instead of what the configuration says")
    ] = None,
    output: OutputFormat = Output.TABLE,
) -> None:
    """Tell which runs would be made between two dates, when, and which limits would hold them back."""
    if timezone is not None and schedule is None:
        raise typer.BadParameter("is that of --schedule: give both", param_hint="--timezone")
    settings = load_settings()
    zone = settings.core.default_timezone
    with wired(settings) as wiring:
        now = wiring.clock.now()
        request = simulate_dag.SimulationRequest(
            dag_id,
            now if since is None else find_run.read_instant(since, zone),
            find_run.read_instant(until, zone),
            max_active_runs,
            None if duration is None else timedelta(seconds=duration),
            limit,
            schedule,
            timezone,
            catchup,
            settings.core.parallelism if parallelism is None else parallelism,
            max_active_tasks,
            simulate_dag.read_pool_slots(pool or ()),
            simulate_dag.read_task_durations(task_duration or ()),
        )
        found = wiring.database.read(lambda tx: simulate_dag.simulate_dag(tx, request, knowing.Structures(), now))
    for note in found.notes:
        typer.echo(note, err=True)
    write_rows([_simulated(run) for run in found.runs], output, when_empty="no run would be made in that time")
    if found.is_cut_off:
        typer.echo(f"there are more than {limit}: see --limit", err=True)


def explain(
    dag_id: DagId,
    run: Annotated[
        str | None,
        typer.Argument(metavar="LOGICAL_DATE_OR_RUN_ID", help="a run; by default the one that comes next"),
    ] = None,
    output: OutputFormat = Output.PLAIN,
) -> None:
    """Tell why a run has not ended or does not run, or why the next one does not exist yet."""
    settings = load_settings()
    with wired(settings) as wiring:
        now = wiring.clock.now()
        known = knowing.Structures()
        if run is None:
            reasons = wiring.database.read(lambda tx: explaining.why_no_next_run(tx, dag_id, known, now))
            write_reasons(dag_id, [(dag_id, reasons)], output)
            return
        found = wiring.database.read(lambda tx: find_run.find_run(tx, dag_id, run, settings.core.default_timezone))
        explained = wiring.database.read(lambda tx: explain_run.explain_one_run(tx, dag_id, found.run_id, known, now))
    if explained.summary is not None:
        typer.echo(explained.summary, err=True)
    tasks = [(_task_name(task.task_id, task.map_index), reasons) for task, reasons in explained.awaited]
    write_reasons(dag_id, [(found.run_id, explained.reasons), *tasks], output)


def write_reasons(dag_id: str, explained: "list[tuple[str, list[Reason]]]", output: Output) -> None:
    """What stands in whose way, in the order in which it has to go away."""
    several = len(explained) > 1
    rows = [{"what": what, "code": each.code, "reason": each.text} for what, reasons in explained for each in reasons]
    if output is Output.PLAIN:
        lines = [f"{row['what']}: {row['reason']}" if several else str(row["reason"]) for row in rows]
        typer.echo("\n".join(lines) if lines else "nothing holds it back")
    else:
        write_rows(rows, output, when_empty="nothing holds it back")
    if any(row["code"] == "dag_paused" for row in rows):
        tell_how_to_unpause(dag_id, "it waits")


def _task_name(task_id: str, map_index: int) -> str:
    return task_id if map_index < 0 else f"{task_id}[{map_index}]"


def _fields(info: "RunInfo") -> dict[str, str | None]:
    interval = info.data_interval
    return {
        RunField.LOGICAL_DATE.value: instant_text(info.logical_date),
        RunField.INTERVAL_START.value: None if interval is None else instant_text(interval.start),
        RunField.INTERVAL_END.value: None if interval is None else instant_text(interval.end),
        RunField.RUN_AFTER.value: instant_text(info.run_after),
    }


def _partition(partition: "Partition") -> dict[str, str | None]:
    return {
        RunField.PARTITION_KEY.value: partition.key,
        RunField.PARTITION_DATE.value: instant_text(partition.date),
    }


def _simulated(run: "SimulatedRun") -> dict[str, object]:
    delay = None if run.starts_at is None else max(0.0, (run.starts_at - run.info.run_after).total_seconds())
    return {
        **_fields(run.info),
        **({} if run.partition is None else _partition(run.partition)),
        "starts_at": instant_text(run.starts_at),
        "ends_at": instant_text(run.ends_at),
        "delay_s": delay,
        "held_by": run.held_by,
        "tasks_held_by": ", ".join(map(_wait, run.waits)) or None,
        "clocks": None if run.clock_change is None else _moved(run.clock_change),
    }


def _wait(wait: "Wait") -> str:
    """What a limit costs its tasks: all their waits added up."""
    return f"{wait.limit} ({'for ever' if wait.task_time is None else wait.task_time})"


def _moved(change: timedelta) -> str:
    """What happens to clocks on the day of the run."""
    return f"{'forward' if change > timedelta(0) else 'back'} by {abs(change)}"
