"""Runs for partitions that assets have together."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final
from zlib import crc32

from tradewind.decide.assets import Consumption
from tradewind.decide.partitions import (
    CannotMap,
    MapperOf,
    There,
    arrivals_by_target,
    date_of,
    mapper_of,
    needs_author,
    next_partition,
    open_question,
    target_keys,
)
from tradewind.model.asset import AssetKey
from tradewind.model.partition import SameKey
from tradewind.model.partition_answers import NOTHING_SAID, PartitionQuestion
from tradewind.model.run import NewRun
from tradewind.model.run_ids import new_run_id
from tradewind.model.slot_policy import EventWindow
from tradewind.model.states import RunType, TriggeredBy
from tradewind.model.timetable import PartitionedAssets
from tradewind.operations.ask_mappers import answers_of, ask_mappers
from tradewind.operations.create_run import create_run
from tradewind.operations.run_for_assets import MOST_AT_ONCE, ListeningDag
from tradewind.storage.interface import Transaction
from tradewind.storage.interface.schedule_stores import Delivery
from tradewind.telemetry.events import PartitionRefused

_MOST_UPDATES: Final = 500
"""That are mapped in one transaction. What is left is looked at again."""


@dataclass(frozen=True, slots=True)
class PartitionLimits:
    """What the configuration allows."""

    batches: bool = False
    most_keys: int = 1000
    """That one partition of an asset may count for."""


def run_for_partitions(
    tx: Transaction, dag: ListeningDag, timetable: PartitionedAssets, now: datetime, limits: PartitionLimits
) -> int:
    """Create the runs that a locked DAG owes to partitions of assets, within `max_active_runs`. Returns how many."""
    allowed = dag.structure.dag.allowed_run_types
    if allowed is not None and RunType.ASSET_TRIGGERED not in allowed:
        return 0
    said = NOTHING_SAID if needs_author(timetable) is None else answers_of(tx, dag.dag_id)
    mapper_for = mapper_of(timetable, dag.meaning, said)
    questions = _map_updates(tx, dag.dag_id, mapper_for, now, limits.most_keys)
    waiting = arrivals_of(tx, dag.dag_id)
    if questions:
        in_use = {key for target, there in waiting.items() for key in (target, *(each.key for each in there))}
        ask_mappers(tx, dag.record, questions, in_use, now)
    places = _places(tx, dag) if waiting else 0
    created = 0
    for target in waiting:
        there: Sequence[There] = waiting[target]
        while (consumption := _next(dag, there, target, mapper_for, limits)) is not None:
            if created >= places:
                tx.dags.set_at_run_limit([dag.dag_id], True)
                return created
            if created == MOST_AT_ONCE:
                tx.dag_changes.record([dag.dag_id], now)
                return created
            _create(tx, dag, target, there, consumption, mapper_for, now)
            created += 1
            # What is left of the key is another run's; which updates those are, only the database knows.
            there = () if consumption.event is None else arrivals_of(tx, dag.dag_id, target).get(target, ())
    return created


def arrivals_of(tx: Transaction, dag_id: str, target: str | None = None) -> Mapping[str, Sequence[There]]:
    """What is pending, for each partition of the DAG or for the one."""
    found = tx.deliveries.arrivals(dag_id, target)
    return arrivals_by_target(
        (each.target_key, There(each.asset_key, each.partition_key, each.event)) for each in found
    )


def _next(
    dag: ListeningDag, there: Sequence[There], target: str, mapper_for: MapperOf, limits: PartitionLimits
) -> Consumption | None:
    return next_partition(dag.condition, there, target, dag.meaning, mapper_for, batches=limits.batches)


def _places(tx: Transaction, dag: ListeningDag) -> int:
    active = tx.runs.count_active([dag.dag_id])[dag.dag_id].active
    return max(0, dag.structure.dag.max_active_runs - active)


def _map_updates(
    tx: Transaction, dag_id: str, mapper_for: MapperOf, now: datetime, most_keys: int
) -> set[PartitionQuestion]:
    """Find out for which partitions of the DAG new updates count. What counts for none is told, and forgotten.

    Returns what only the author's code can say; the updates that it is about wait for that.
    """
    found = tx.deliveries.unmapped(dag_id, _MOST_UPDATES)
    asked = {each.event_key: open_question(mapper_for(each.asset_key), each.partition_key) for each in found}
    updates = [each for each in found if asked[each.event_key] is None]
    mapped: list[Delivery] = []
    for update in updates:
        try:
            if update.partition_key is None:
                raise CannotMap("the update has no partition key")
            targets = target_keys(mapper_for(update.asset_key), update.partition_key, most_keys)
        except CannotMap as error:
            tx.emit(PartitionRefused(dag_id, update.event_key, update.partition_key or "", str(error)))
            continue
        mapped += [update._replace(target_key=target) for target in targets]
    if updates:
        tx.deliveries.map(dag_id, [update.event_key for update in updates], mapped)
    if updates and len(found) == _MOST_UPDATES:
        tx.dag_changes.record([dag_id], now)
    return {question for question in asked.values() if question is not None}


def _create(
    tx: Transaction,
    dag: ListeningDag,
    target: str,
    there: Sequence[There],
    consumption: Consumption,
    mapper_for: MapperOf,
    now: datetime,
) -> None:
    window = EventWindow(target_key=target)
    newest_at = tx.deliveries.newest_at(dag.dag_id, event=consumption.event, window=window) or now
    run_after = min(newest_at, now)
    first = consumption.event or min(each.event for each in there)
    # Of a fan-out, runs for several partitions come from one update at one instant.
    suffix = f"{crc32(f'{first} {target}'.encode()):08x}"
    assert dag.record.version_key is not None
    new = NewRun(
        dag_id=dag.dag_id,
        run_id=new_run_id(RunType.ASSET_TRIGGERED, run_after, logical_date=None, suffix=suffix, partition_key=target),
        run_type=RunType.ASSET_TRIGGERED,
        run_after=run_after,
        version_key=dag.record.version_key,
        triggered_by=TriggeredBy.ASSET,
        partition_key=target,
        partition_date=_date(tx, target, there, mapper_for),
    )
    run_key = create_run(tx, dag.structure, new, now)
    tx.deliveries.take(dag.dag_id, run_key, event=consumption.event, window=window)


def _date(tx: Transaction, target: str, there: Sequence[There], mapper_for: MapperOf) -> datetime | None:
    """The date of the partition: what its key says, or, where the key was kept, that of the run which made it.

    Assets that contradict one another leave it without one.
    """
    assets: dict[AssetKey, There] = {}
    for each in there:
        assets.setdefault(each.asset, each)
    dates = {date_of(mapper_for(asset), target) or _carried(tx, each, mapper_for) for asset, each in assets.items()}
    known = {date for date in dates if date is not None}
    return known.pop() if len(known) == 1 else None


def _carried(tx: Transaction, there: There, mapper_for: MapperOf) -> datetime | None:
    if not isinstance(mapper_for(there.asset), SameKey):
        return None
    source = tx.asset_events.source(there.event)
    run = None if source is None else tx.runs.find(*source)
    return run.partition_date if run is not None and run.partition_key == there.key else None
