"""`tradewind dags`: which DAGs there are, and what is known of them."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from tradewind.cli.columns import choose_columns
from tradewind.cli.deferred import Deferred
from tradewind.cli.deployment import load_settings, opened
from tradewind.cli.options import LARGEST, BundleNames, DagId, Local, OutputFormat
from tradewind.cli.output import Output, instant_text, write_rows
from tradewind.model.listing import Condition, Listed, Order, Query, Test

if TYPE_CHECKING:
    from tradewind import bootstrap
    from tradewind.dag_processor.read_once import ReadFile
    from tradewind.model import dag_summary
    from tradewind.operations import describe_dag
    from tradewind.operations import structures as knowing
else:
    bootstrap = Deferred("tradewind.bootstrap")
    dag_summary = Deferred("tradewind.model.dag_summary")
    describe_dag = Deferred("tradewind.operations.describe_dag")
    knowing = Deferred("tradewind.operations.structures")

_SHOWN: Final = ("dag_id", "fileloc", "owners", "is_paused", "bundle_name", "bundle_version")
_MORE: Final = (
    "dag_display_name",
    "description",
    "timetable_summary",
    "timetable_description",
    "max_active_tasks",
    "max_active_runs",
    "max_consecutive_failed_dag_runs",
    "has_import_errors",
    "last_parsed_time",
    "next_dagrun_run_after",
    "next_dagrun_data_interval_start",
    "next_dagrun_data_interval_end",
)


class JobState(StrEnum):
    """What became of a service process, in Airflow's words."""

    RUNNING = "running"
    SUCCESS = "success"
    RESTARTING = "restarting"
    FAILED = "failed"


def list_(
    bundle_name: BundleNames = None,
    columns: Annotated[
        str | None, typer.Option(metavar="NAMES", help=f"some of {', '.join((*_SHOWN, *_MORE))}; with commas")
    ] = None,
    local: Local = False,
    output: OutputFormat = Output.TABLE,
) -> None:
    """List the DAGs that there are."""
    rows = list(_local_dags(bundle_name) if local else _stored_dags(bundle_name))
    chosen = choose_columns(rows, columns or ",".join(_SHOWN), (*_SHOWN, *_MORE))
    write_rows(chosen, output, when_empty="there is no DAG; see `tradewind dags list-import-errors`")


def details(dag_id: DagId, output: OutputFormat = Output.TABLE) -> None:
    """Tell what is known of a DAG."""
    with opened() as wiring:
        known = wiring.database.read(lambda tx: describe_dag.describe_dag(tx, dag_id, knowing.Structures()))
    shown = {name: instant_text(value) if isinstance(value, datetime) else value for name, value in known.items()}
    if output in (Output.JSON, Output.YAML):
        write_rows([shown], output)
    else:
        write_rows([{"property_name": name, "property_value": value} for name, value in shown.items()], output)


def list_import_errors(
    bundle_name: BundleNames = None, local: Local = False, output: OutputFormat = Output.TABLE
) -> None:
    """List the files that cannot be used, and why."""
    if local:
        rows = [
            {"bundle_name": file.bundle, "filepath": file.path, "error": problem.message}
            for file in _read(bundle_name)
            for problem in file.problems
        ]
    else:
        with opened() as wiring:
            errors = wiring.database.read(lambda tx: tx.files.errors(bundle_name or None))
        rows = [
            {"bundle_name": error.name.bundle, "filepath": error.name.path, "error": error.message} for error in errors
        ]
    write_rows(rows, output, when_empty="there is no import error")
    if rows:
        raise typer.Exit(1)


def list_jobs(
    dag_id: Annotated[
        str | None, typer.Option("--dag-id", "-d", help="accepted for Airflow's scripts: no job belongs to a DAG")
    ] = None,
    state: Annotated[JobState | None, typer.Option(help="only jobs in this state")] = None,
    limit: Annotated[int | None, typer.Option(min=1, max=LARGEST, help="so many of the newest")] = None,
    output: OutputFormat = Output.TABLE,
) -> None:
    """List the service processes that there are and were, the newest first."""
    conditions = () if state is None else (Condition("state", Test.IS, state.value),)
    query = Query(conditions, (Order("start_date", is_descending=True),), limit=limit, is_counted=False)
    found: Sequence[Any] = ()
    if dag_id is None:
        with opened() as wiring:
            found = wiring.database.read(lambda tx: tx.listings.page(Listed.JOBS, query)).rows
    rows = [
        {
            "id": row["id"],
            "state": row["state"],
            "job_type": row["job_type"],
            "start_date": instant_text(row["start_date"]),
            "end_date": instant_text(row["end_date"]),
            "latest_heartbeat": instant_text(row["latest_heartbeat"]),
            "hostname": row["hostname"],
        }
        for row in found
    ]
    write_rows(rows, output, when_empty="there is no such job")


def report(bundle_name: BundleNames = None, output: OutputFormat = Output.TABLE) -> None:
    """Read the DAG files, and tell how long that takes and what is in them."""
    rows = []
    for file in sorted(_read(bundle_name), key=lambda each: -_duration(each)):
        publications = file.checked.publications if file.checked is not None else ()
        rows.append(
            {
                "file": file.path,
                "duration_s": _duration(file) / 1000,
                "dag_num": len(publications),
                "task_num": sum(len(each.dag.tasks) for each in publications),
                "warning_num": len(file.parse.warnings) if file.parse is not None else 0,
                "error_num": len(file.problems),
                "dags": ", ".join(each.dag.dag_id for each in publications),
            }
        )
    write_rows(rows, output, when_empty="there is no DAG file")


def _read(bundle_names: list[str] | None) -> "list[ReadFile]":
    return bootstrap.read_dag_files(load_settings(), bundle_names or ())


def _duration(file: "ReadFile") -> int:
    return 0 if file.parse is None else file.parse.duration_ms


def _stored_dags(bundle_names: list[str] | None) -> Iterator[dict[str, object]]:
    conditions = [Condition("is_stale", Test.IS, False)]
    if bundle_names:
        conditions.append(Condition("bundle_name", Test.ONE_OF, bundle_names))
    query = Query(tuple(conditions), is_counted=False)
    with opened() as wiring:
        found = wiring.database.read(lambda tx: tx.listings.page(Listed.DAGS, query)).rows
    for row in found:
        shown = {name: instant_text(each) if isinstance(each, datetime) else each for name, each in row.items()}
        yield shown | {"fileloc": row["relative_fileloc"]}


def _local_dags(bundle_names: list[str] | None) -> Iterator[dict[str, object]]:
    for file in _read(bundle_names):
        for publication in file.checked.publications if file.checked is not None else ():
            summary = dag_summary.summary_of(publication.dag)
            yield {
                "dag_id": publication.dag.dag_id,
                "fileloc": file.path,
                "owners": summary.owners,
                "bundle_name": file.bundle,
                "bundle_version": file.bundle_version,
                "dag_display_name": summary.display_name,
                "description": summary.description,
                "timetable_summary": summary.timetable_summary,
                "timetable_description": summary.timetable_description,
                "max_active_tasks": summary.max_active_tasks,
                "max_active_runs": summary.max_active_runs,
                "max_consecutive_failed_dag_runs": summary.max_consecutive_failed_runs,
                "has_import_errors": bool(file.problems),
            }
