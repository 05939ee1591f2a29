"""`tradewind dags`: DAGs, what is wrong with their files, and their runs."""

import dataclasses
from pathlib import Path
from typing import Annotated

import typer

from tradewind.bootstrap import is_failure, lint_paths, made_dag_processor, wired
from tradewind.cli import dag_runs
from tradewind.cli.backends import prepare_backends
from tradewind.cli.groups import make_group
from tradewind.cli.options import OutputFormat
from tradewind.cli.output import Output, write_rows
from tradewind.operations.list_dags import list_dags
from tradewind.settings import environment_without_secrets, load_settings

app = make_group()
app.command("trigger", help="ask for a run now")(dag_runs.trigger)
app.command("pause", help="let a DAG start nothing new")(dag_runs.pause)
app.command("unpause", help="let a paused DAG go on")(dag_runs.unpause)
app.command("list-runs", help="list the runs of a DAG, the newest first")(dag_runs.list_)
app.command("state", help="tell the state of a run")(dag_runs.state)
app.command("delete", help="delete what is stored of a DAG, with its runs")(dag_runs.delete)

BundleNames = Annotated[
    list[str] | None, typer.Option("--bundle-name", "-B", metavar="NAME", help="only this bundle; may be repeated")
]


@app.command("list", help="list the DAGs that there are")
def _list(bundle_name: BundleNames = None, output: OutputFormat = Output.TABLE) -> None:
    with wired(load_settings()) as wiring:
        lines = wiring.database.transact(lambda tx: list_dags(tx, bundle_name or None))
    rows = [
        {
            "dag_id": line.dag_id,
            "fileloc": line.path,
            "owners": line.owners,
            "is_paused": line.is_paused,
            "bundle_name": line.bundle_name,
            "bundle_version": line.bundle_version,
        }
        for line in lines
    ]
    write_rows(rows, output, when_empty="there is no DAG; see `tradewind dags list-import-errors`")


@app.command("list-import-errors", help="list the files that cannot be used, and why")
def _list_import_errors(bundle_name: BundleNames = None, output: OutputFormat = Output.TABLE) -> None:
    with wired(load_settings()) as wiring:
        errors = wiring.database.transact(lambda tx: tx.files.errors(bundle_name or None))
    rows = [{"bundle_name": error.name.bundle, "filepath": error.name.path, "error": error.message} for error in errors]
    write_rows(rows, output, when_empty="there is no import error")
    if rows:
        raise typer.Exit(1)


@app.command("reserialize", help="read every DAG file again, changed or not, and store what it says")
def _reserialize(bundle_name: BundleNames = None) -> None:
    settings = load_settings()
    prepare_backends(settings)
    with wired(settings) as wiring, made_dag_processor(wiring, bundle_name or ()) as (processor, _):
        processor.start()
        try:
            processor.settle(is_forced=True)
        finally:
            processor.stop()
        errors = wiring.database.transact(lambda tx: tx.files.errors(bundle_name or None))
    count = sum(len(bundle.files) for bundle in processor.state.bundles)
    typer.echo(f"{count} files read, {len(errors)} with errors")


@app.command("lint", help="read DAG files without a database, and tell what is wrong and what will hurt")
def _lint(
    paths: Annotated[list[Path] | None, typer.Argument(help="files and folders; by default the DAG folder")] = None,
    strict: Annotated[bool, typer.Option("--strict", help="fail for warnings too")] = False,
    output: Annotated[Output, typer.Option("--output", "-o", help="plain: file:line: level: message")] = Output.PLAIN,
) -> None:
    settings = load_settings()
    findings = lint_paths(paths or [settings.dags_folder], settings, environment_without_secrets())
    if output is Output.PLAIN:
        for finding in findings:
            where = finding.path if finding.line is None else f"{finding.path}:{finding.line}"
            typer.echo(f"{where}: {finding.level}: {finding.message} [{finding.kind}]")
        typer.echo(f"{len(findings)} findings" if findings else "nothing to complain about", err=True)
    else:
        write_rows([dataclasses.asdict(finding) for finding in findings], output)
    if is_failure(findings, is_strict=strict):
        raise typer.Exit(1)
