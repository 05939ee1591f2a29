"""Duty: create the runs that updates of assets ask for."""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Final

from tradewind.decide.assets import takes_all
from tradewind.errors import DagUnusable
from tradewind.model.timetable import AssetAndTime, PartitionedAssets
from tradewind.operations.deliver_events import MOST_EVENTS, hand_out_events
from tradewind.operations.listen_to_assets import meaning_of, starts_runs
from tradewind.operations.run_for_assets import ListeningDag, run_for_assets, unusable
from tradewind.operations.run_for_partitions import PartitionLimits, run_for_partitions
from tradewind.operations.settle_slots import SlotSettler
from tradewind.scheduler.fencing import fence
from tradewind.scheduler.state import SchedulerState
from tradewind.storage.interface import DagRecord, Transaction

_MOST_DAGS: Final = 50
_MOST_REFUSALS: Final = 20
"""How often in a row others may have locked the DAGs before this scheduler leaves them alone until its next poll."""


def create_asset_runs(state: SchedulerState) -> int:
    """For the DAGs that something has come for. Returns whether there may be more to do at once."""
    if not state.has_listeners or not state.settings.use_job_schedule:
        return 0
    now = state.clock.now()

    def work(tx: Transaction) -> tuple[list[str], list[str], int | None]:
        if hand_out(tx, state) == MOST_EVENTS:
            return [], [], None
        wanted = tx.dag_changes.pending(_MOST_DAGS)
        records = tx.dags.lock(wanted, skip_locked=True) if wanted else []
        locked = {record.dag_id for record in records}
        # Taken before anything is looked at: what comes meanwhile stays to be taken.
        tx.dag_changes.take([dag_id for dag_id in wanted if dag_id in locked or tx.dags.find(dag_id) is None])
        created = look_at(tx, state, records, now) if records else []
        return wanted, created, len(records)

    wanted, created, looked_at = state.store.transact(work)
    if looked_at is None:
        return 1  # first all of them, then the DAGs: what a run consumes shall not depend on how many come at once
    state.dags_to_start.update(created)
    if looked_at == len(wanted):
        state.refusals_of_dags = 0
        return int(len(wanted) == _MOST_DAGS or bool(created))
    state.refusals_of_dags += 1
    return int(state.refusals_of_dags < _MOST_REFUSALS)


def find_listeners(state: SchedulerState) -> None:
    """Whether any DAG waits for assets: where none does, nobody asks whether something has come. And whether any plugin
    listens to runs: where none does, nothing is written down for it."""
    state.has_listeners, state.heard_of_runs = state.store.transact(
        lambda tx: (tx.deliveries.is_anybody_listening(), tx.bundles.heard())
    )


def find_overdue_slots(state: SchedulerState) -> int:
    """Ticks whose deadline has passed while they waited. Returns of how many DAGs."""
    if not state.has_listeners:
        return 0
    now = state.clock.now()

    def work(tx: Transaction) -> int:
        dag_ids = tx.slots.overdue(now, _MOST_DAGS)
        tx.dag_changes.record(dag_ids, now)
        return len(dag_ids)

    return state.store.transact(work)


def next_deadline(state: SchedulerState) -> datetime | None:
    """When `find_overdue_slots` will next find something."""
    if not state.has_listeners:
        return None
    now = state.clock.now()
    return state.store.transact(lambda tx: tx.slots.next_deadline(now))


def hand_out(tx: Transaction, state: SchedulerState) -> int:
    """Updates to the DAGs that wait for them, as many as one transaction hands out. Returns how many."""
    return hand_out_events(tx, lambda dag_ids: _take_all(tx, state, dag_ids))


def look_at(tx: Transaction, state: SchedulerState, records: Sequence[DagRecord], now: datetime) -> list[str]:
    """What locked DAGs owe to updates of assets. Returns those that got runs."""
    listening = _listening(tx, state, [record for record in records if not unusable(record)])
    return [
        *_settle_slots(tx, state, [each for each in listening if each.gate is not None], now, {}),
        *run_for_assets(
            tx,
            [each for each in listening if each.gate is None and each.partitions is None],
            now,
            batches=state.settings.batch_asset_events,
        ),
        *_run_partitions(tx, state, listening, now),
    ]


def look_at_ticks(
    tx: Transaction, state: SchedulerState, records: Sequence[DagRecord], now: datetime, ticks: Mapping[str, datetime]
) -> None:
    """What locked DAGs owe to ticks that have just come, the first of each in `ticks`."""
    # First: whether a tick before these has its assets must not depend on who hands them out.
    hand_out(tx, state)
    _settle_slots(tx, state, _listening(tx, state, records), now, ticks)


def _settle_slots(
    tx: Transaction,
    state: SchedulerState,
    dags: Sequence[ListeningDag],
    now: datetime,
    ticks: Mapping[str, datetime],
) -> list[str]:
    created = []
    for dag in dags:
        try:
            if dag.gate is not None:
                settler = SlotSettler(tx, dag, dag.gate, state.structures)
                created += [dag.dag_id] if settler.settle(now, since=ticks.get(dag.dag_id)) else []
        except DagUnusable as error:
            fence(tx, error)
    return created


def _run_partitions(tx: Transaction, state: SchedulerState, dags: Sequence[ListeningDag], now: datetime) -> list[str]:
    settings = state.settings
    limits = PartitionLimits(settings.batch_asset_events, settings.partition_mapper_max_downstream_keys)
    return [
        dag.dag_id
        for dag in dags
        if dag.partitions is not None and run_for_partitions(tx, dag, dag.partitions, now, limits)
    ]


def _take_all(tx: Transaction, state: SchedulerState, dag_ids: Collection[str]) -> set[str]:
    """Which of the DAGs need no update by itself: no tick chooses among them, and a run takes all that wait."""
    versions = tx.deliveries.versions(dag_ids)
    state.structures.prepare(tx, versions.values())
    found = set()
    for dag_id, version_key in versions.items():
        with suppress(DagUnusable):
            dag = state.structures.get(tx, version_key).dag
            is_whole = dag.assets is not None and takes_all(dag.assets, batches=state.settings.batch_asset_events)
            if is_whole and not isinstance(dag.timetable, AssetAndTime | PartitionedAssets):
                found.add(dag_id)
    return found


def _listening(tx: Transaction, state: SchedulerState, records: Sequence[DagRecord]) -> list[ListeningDag]:
    state.structures.prepare(tx, {record.version_key for record in records if record.version_key is not None})
    found = []
    for record in records:
        try:
            assert record.version_key is not None
            structure = state.structures.get(tx, record.version_key)
        except DagUnusable as error:
            fence(tx, error)
            continue
        if structure.dag.assets is not None and starts_runs(structure.dag):
            found.append((record, structure, structure.dag.assets))
    meaning = meaning_of(tx, [condition for _, _, condition in found])
    return [ListeningDag(record, structure, condition, meaning) for record, structure, condition in found]
