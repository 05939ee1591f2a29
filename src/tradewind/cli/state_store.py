"""`tradewind state-store`: what tasks remember from attempt to attempt."""

from typing import Annotated, Final

import typer

from tradewind.cli.deployment import load_settings, wired
from tradewind.cli.groups import make_group
from tradewind.cli.progress import shown_progress

app = make_group()

_USUAL_BATCH: Final = 1_000
"""In one transaction, which others wait for."""


@app.callback()
def _group() -> None:
    """It has one command, which is to be said all the same."""


@app.command("clean", help="throw away what has expired")
def _clean(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="only tell how much that is")] = False,
) -> None:
    settings = load_settings()
    batch = settings.state_store.state_cleanup_batch_size or _USUAL_BATCH
    with wired(settings) as wiring:
        now = wiring.clock.now()
        total = wiring.database.read(lambda tx: tx.task_states.count_expired(now))
        if dry_run:
            typer.echo(f"{total} values have expired and would be deleted")
            return
        deleted = 0
        with shown_progress("deleting", total) as done:
            while some := wiring.database.transact(lambda tx: tx.task_states.delete_expired(now, batch)):
                deleted += some
                done(some)
    typer.echo(f"{deleted} values had expired and are deleted")
