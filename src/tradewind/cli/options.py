"""Options that many commands have."""

from typing import Annotated, Final

import typer

from tradewind.cli.output import Output

LARGEST: Final = 2**31 - 1
"""No number means anything beyond it, and not every database could keep it."""

OutputFormat = Annotated[Output, typer.Option("--output", "-o", help="how to write it")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="do not ask whether it is meant")]
RunOrDate = Annotated[str, typer.Argument(metavar="LOGICAL_DATE_OR_RUN_ID", help="a run, by its id or logical date")]
MapIndex = Annotated[int, typer.Option("--map-index", max=LARGEST, help="which instance of a mapped task")]
StartDate = Annotated[str | None, typer.Option("--start-date", "-s", metavar="DATE", help="from this logical date on")]
EndDate = Annotated[str | None, typer.Option("--end-date", "-e", metavar="DATE", help="up to this logical date")]
Color = Annotated[
    str | None, typer.Option("--color", hidden=True, help="accepted for Airflow's scripts: nothing is coloured")
]
DagId = Annotated[str, typer.Argument(help="the DAG")]
BundleNames = Annotated[
    list[str] | None, typer.Option("--bundle-name", "-B", metavar="NAME", help="only this bundle; may be repeated")
]
Local = Annotated[bool, typer.Option("--local", "-l", help="read the files here, and do not ask the database")]
