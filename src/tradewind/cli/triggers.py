"""`tradewind triggers`: what waiting tasks wait for."""

from collections.abc import Sequence
from typing import Annotated, Any

import typer

from tradewind.cli.deployment import opened
from tradewind.cli.groups import make_group
from tradewind.cli.options import LARGEST, OutputFormat
from tradewind.cli.output import Output, instant_text, write_rows
from tradewind.model.listing import Condition, Listed, Query, Test

app = make_group()


@app.callback()
def _group() -> None:
    """What waiting tasks wait for."""


@app.command("list", help="list triggers: who runs them, and which of them held up others")
def _list(
    dag_id: Annotated[str | None, typer.Option("--dag-id", "-d", help="only those of this DAG")] = None,
    blocked: Annotated[bool, typer.Option("--blocked", help="only those that held up others")] = False,
    quarantined: Annotated[bool, typer.Option("--quarantined", help="only those that are kept apart")] = False,
    limit: Annotated[int, typer.Option(min=1, max=LARGEST, help="at most so many")] = 100,
    output: OutputFormat = Output.TABLE,
) -> None:
    conditions = [
        *([Condition("dag_id", Test.IS, dag_id)] if dag_id is not None else []),
        *([Condition("blocked_count", Test.ABOVE, 0)] if blocked else []),
        *([Condition("is_quarantined", Test.IS, True)] if quarantined else []),
    ]
    query = Query(tuple(conditions), limit=limit, is_counted=False)
    with opened() as wiring:
        found: Sequence[Any] = wiring.database.read(lambda tx: tx.listings.page(Listed.TRIGGERS, query)).rows
    rows = [
        {
            "id": row["id"],
            "classpath": row["classpath"],
            "dag_id": row["dag_id"],
            "run_id": row["dag_run_id"],
            "task_id": row["task_id"],
            "map_index": row["map_index"],
            "triggerer": row["triggerer_id"],
            "hostname": row["triggerer_hostname"],
            "running_since": instant_text(row["running_since"]),
            "blocked": row["blocked_count"],
            "quarantined": row["is_quarantined"],
            # Where it was takes many lines: for those alone who ask for it.
            **({"stack": row["last_blocked_stack"]} if blocked or quarantined else {}),
        }
        for row in found
    ]
    write_rows(rows, output, when_empty="no task waits for a trigger")
