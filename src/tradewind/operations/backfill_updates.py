"""Backfills of DAGs that wait for assets alone: from past updates, whoever consumed them."""

from collections.abc import Iterator

from tradewind.decide.backfill import MOST_DATES, Span, is_by_assets, moments_of_updates, updates_of
from tradewind.errors import InvalidRequest
from tradewind.model.backfill import Backfill
from tradewind.model.dag import Dag
from tradewind.model.ids import RunKey
from tradewind.model.slot_policy import EventWindow
from tradewind.model.timetable import RunInfo
from tradewind.operations.listen_to_assets import awaited_assets, meaning_of
from tradewind.storage.interface import Transaction


def moments_in(tx: Transaction, dag: Dag, span: Span) -> Iterator[RunInfo]:
    """When past updates in the span would have started runs of the DAG.

    Raises:
        InvalidRequest: there are too many of them.
    """
    condition = dag.assets
    if condition is None:
        return iter(())
    meaning = meaning_of(tx, [condition])
    window = EventWindow(after=span.start, before=span.end)
    updates = tx.asset_events.instants(awaited_assets(condition, meaning), window, MOST_DATES + 1)
    if len(updates) > MOST_DATES:
        raise InvalidRequest(f"there are more than {MOST_DATES} updates in this range: backfill a part of it at a time")
    return moments_of_updates(condition, meaning, updates)


def note_updates(tx: Transaction, dag: Dag, backfill: Backfill, run_key: RunKey, info: RunInfo) -> None:
    """The run was made for the updates since the moment before. What runs by themselves have consumed stays theirs."""
    if dag.assets is None or not is_by_assets(dag.timetable):
        return
    keys = awaited_assets(dag.assets, meaning_of(tx, [dag.assets]))
    # Under a name of its own, for a DAG hears of an update once in its own name.
    tx.deliveries.take_past(dag.dag_id, run_key, keys, updates_of(backfill.plan, info), f"backfill {backfill.key}")
