"""`tradewind dags`: DAGs, what is wrong with their files, and their runs."""

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from tradewind.cli import clear_tasks, dag_graph, dag_lists, dag_runs, dag_schedule, dag_tests
from tradewind.cli.backends import prepare_backends
from tradewind.cli.deferred import Deferred
from tradewind.cli.deployment import load_settings, wired
from tradewind.cli.groups import make_group
from tradewind.cli.options import BundleNames
from tradewind.cli.output import Output, write_rows

if TYPE_CHECKING:
    from tradewind import bootstrap
    from tradewind import settings as configuration
else:
    bootstrap = Deferred("tradewind.bootstrap")
    configuration = Deferred("tradewind.settings")

app = make_group()
app.command("list", help="list the DAGs that there are")(dag_lists.list_)
app.command("details", help="tell what is known of a DAG")(dag_lists.details)
app.command("list-import-errors", help="list the files that cannot be used, and why")(dag_lists.list_import_errors)
app.command("list-jobs", help="list the service processes that there are and were")(dag_lists.list_jobs)
app.command("report", help="read the DAG files, and tell how long that takes")(dag_lists.report)
app.command("trigger", help="ask for a run now")(dag_runs.trigger)
app.command("pause", help="let a DAG start nothing new")(dag_runs.pause)
app.command("unpause", help="let a paused DAG go on")(dag_runs.unpause)
app.command("list-runs", help="list the runs of a DAG, the newest first")(dag_runs.list_)
app.command("state", help="tell the state of a run")(dag_runs.state)
app.command("clear", help="let all tasks of runs run again")(clear_tasks.clear_runs)
app.command("delete", help="delete what is stored of a DAG, with its runs")(dag_runs.delete)
app.command("next-execution", help="tell the logical dates of the runs to come")(dag_schedule.next_execution)
app.command("simulate", help="tell which runs would be made, when, and what would hold them back")(
    dag_schedule.simulate
)
app.command("waiting", help="list the ticks that have come and wait for assets")(dag_schedule.waiting)
app.command("explain", help="tell why a run does not run, or why the next one does not exist yet")(dag_schedule.explain)
app.command("show", help="show which task leads to which")(dag_graph.show)
app.command("show-dependencies", help="show which DAG leads to which")(dag_graph.show_dependencies)
app.command("test", help="run a DAG once, in this process, without a scheduler")(dag_tests.try_dag)


@app.command("reserialize", help="read every DAG file again, changed or not, and store what it says")
def _reserialize(bundle_name: BundleNames = None) -> None:
    settings = load_settings()
    prepare_backends(settings)
    with wired(settings) as wiring, bootstrap.made_dag_processor(wiring, bundle_name or ()) as (processor, _):
        processor.start()
        try:
            processor.settle(is_forced=True)
        finally:
            processor.stop()
        errors = wiring.database.read(lambda tx: tx.files.errors(bundle_name or None))
    count = sum(len(bundle.files) for bundle in processor.state.bundles)
    typer.echo(f"{count} files read, {len(errors)} with errors")


@app.command("lint", help="read DAG files without a database, and tell what is wrong and what will hurt")
def _lint(
    paths: Annotated[list[Path] | None, typer.Argument(help="files and folders; by default the DAG folder")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="fail for warnings too")] = False,
    output: Annotated[Output, typer.Option("--output", "-o", help="plain: file:line: level: message")] = Output.PLAIN,
) -> None:
    settings = load_settings()
    findings = bootstrap.lint_paths(
        paths or [settings.dags_folder], settings, configuration.environment_without_secrets()
    )
    if output is Output.PLAIN:
        for finding in findings:
            where = finding.path if finding.line is None else f"{finding.path}:{finding.line}"
            whose = f"DAG {finding.dag_id!r}: " if finding.names_no_dag else ""
            typer.echo(f"{where}: {finding.level}: {whose}{finding.message} [{finding.kind}]")
        typer.echo(_counted(len(findings)), err=True)
    else:
        write_rows([dataclasses.asdict(finding) for finding in findings], output)
    if bootstrap.is_failure(findings, is_strict=strict):
        raise typer.Exit(1)


def _counted(findings: int) -> str:
    if findings == 0:
        return "nothing to complain about"
    return "1 finding" if findings == 1 else f"{findings} findings"
