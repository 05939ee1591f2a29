"""`tradewind dags show` and `show-dependencies`: what leads where."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from tradewind.cli.deferred import Deferred
from tradewind.cli.deployment import opened
from tradewind.cli.graphs import Graph, as_dot, as_svg, as_tree
from tradewind.cli.options import DagId

if TYPE_CHECKING:
    from tradewind.operations import draw_dags
    from tradewind.operations import structures as knowing
else:
    draw_dags = Deferred("tradewind.operations.draw_dags")
    knowing = Deferred("tradewind.operations.structures")

_WRITERS: Final[Mapping[str, Callable[[Graph], str]]] = {
    ".svg": as_svg,
    ".dot": as_dot,
    ".gv": as_dot,
    ".txt": lambda graph: as_tree(graph) + "\n",
}

Save = Annotated[
    Path | None, typer.Option("--save", "-s", metavar="FILE", help="write it to a file: .svg, .dot or .txt")
]


def show(dag_id: DagId, save: Save = None) -> None:
    """Show which task of a DAG leads to which."""
    _check(save)
    with opened() as wiring:
        edges = wiring.database.read(lambda tx: draw_dags.tasks_of(tx, dag_id, knowing.Structures()))
    _show(Graph(dag_id, edges.nodes, edges.edges, edges.labels), save)


def show_dependencies(save: Save = None) -> None:
    """Show which DAG leads to which: by the assets that it updates, the runs that it asks for, what it waits for."""
    _check(save)
    with opened() as wiring:
        edges = wiring.database.read(lambda tx: draw_dags.dependencies(tx, knowing.Structures()))
    if not edges.nodes:
        typer.echo("no DAG has to do with another", err=True)
        return
    _show(Graph("dags", edges.nodes, edges.edges, edges.labels), save)


def _check(save: Path | None) -> None:
    if save is not None and save.suffix.lower() not in _WRITERS:
        raise typer.BadParameter(f"{save} ends in none of {', '.join(_WRITERS)}", param_hint="--save")


def _show(graph: Graph, save: Path | None) -> None:
    if save is None:
        typer.echo(as_tree(graph))
        return
    save.write_text(_WRITERS[save.suffix.lower()](graph), encoding="utf-8")
    typer.echo(f"written to {save}")
