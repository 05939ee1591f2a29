"""Runs that updates of assets bring into being."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from tradewind.decide.assets import Consumption, Meaning, next_consumption
from tradewind.decide.structure import Structure
from tradewind.model.asset import AssetExpression, AssetKey
from tradewind.model.run import NewRun
from tradewind.model.run_ids import RUN_ID_SUFFIX_LENGTH, new_run_id
from tradewind.model.states import RunType, TriggeredBy
from tradewind.model.timetable import AssetAndTime, PartitionedAssets
from tradewind.operations.create_run import create_new_runs
from tradewind.operations.listen_to_assets import awaited_assets
from tradewind.storage.interface import DagRecord, Transaction

MOST_AT_ONCE: Final = 20
"""Runs of one DAG in one transaction. What is left is looked at again."""
_DIGITS: Final = "0123456789abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class ListeningDag:
    """A locked DAG that waits for assets, and what its condition means."""

    record: DagRecord
    structure: Structure
    condition: AssetExpression
    meaning: Meaning

    @property
    def dag_id(self) -> str:
        """Of the DAG."""
        return self.record.dag_id

    @property
    def gate(self) -> AssetAndTime | None:
        """What its ticks wait for, where it has ticks that wait."""
        timetable = self.structure.dag.timetable
        return timetable if isinstance(timetable, AssetAndTime) else None

    @property
    def partitions(self) -> PartitionedAssets | None:
        """How its assets' partitions become its own, where it has runs for partitions."""
        timetable = self.structure.dag.timetable
        return timetable if isinstance(timetable, PartitionedAssets) else None


@dataclass(frozen=True, slots=True)
class _Owed:
    """A run that a DAG owes to pending updates."""

    dag: ListeningDag
    consumption: Consumption
    first_event: int


def run_for_assets(tx: Transaction, dags: Sequence[ListeningDag], now: datetime, *, batches: bool) -> list[str]:
    """Create the runs that locked DAGs owe to pending updates, within `max_active_runs`. Returns which DAGs got some.

    Round by round, one run of each DAG: what a round writes, it writes for all of them at once.
    """
    oldest = _oldest(tx, [dag for dag in dags if _allows_runs(dag)])
    counts = tx.runs.count_active(oldest) if oldest else {}
    active = {dag_id: counts[dag_id].active for dag_id in oldest}
    created: set[str] = set()
    for number in range(MOST_AT_ONCE + 1):
        owed = _owed(dags, oldest, batches=batches)
        full = {each.dag.dag_id for each in owed if active[each.dag.dag_id] >= each.dag.structure.dag.max_active_runs}
        if full:
            # Whoever ends a run of theirs looks again.
            tx.dags.set_at_run_limit(full, True)
            owed = [each for each in owed if each.dag.dag_id not in full]
        if number == MOST_AT_ONCE:
            tx.dag_changes.record([each.dag.dag_id for each in owed], now)
            break
        if not owed:
            break
        _create(tx, owed, now)
        for each in owed:
            active[each.dag.dag_id] += 1
            created.add(each.dag.dag_id)
        # Who consumed all has nothing left: what comes meanwhile has the DAG looked at again.
        oldest = _oldest(tx, [each.dag for each in owed if each.consumption.event is not None])
    return sorted(created)


def _allows_runs(dag: ListeningDag) -> bool:
    allowed = dag.structure.dag.allowed_run_types
    return allowed is None or RunType.ASSET_TRIGGERED in allowed


def _oldest(tx: Transaction, dags: Sequence[ListeningDag]) -> dict[str, dict[AssetKey, int]]:
    """By DAG and asset, the first update that is pending; without those that have none."""
    wanted = {(dag.dag_id, key) for dag in dags for key in awaited_assets(dag.condition, dag.meaning)}
    found: dict[str, dict[AssetKey, int]] = {}
    for (dag_id, key), event in tx.deliveries.oldest(wanted).items():
        found.setdefault(dag_id, {})[key] = event
    return found


def _owed(dags: Sequence[ListeningDag], oldest: Mapping[str, Mapping[AssetKey, int]], *, batches: bool) -> list[_Owed]:
    """The next run of each."""
    found = []
    for dag in dags:
        pending = oldest.get(dag.dag_id, {})
        consumption = next_consumption(dag.condition, pending, dag.meaning, batches=batches)
        if consumption is not None:
            found.append(_Owed(dag, consumption, min(pending.values())))
    return found


def _create(tx: Transaction, owed: Sequence[_Owed], now: datetime) -> None:
    newest = tx.deliveries.newest_of_each([(each.dag.dag_id, each.consumption.event) for each in owed])
    # Updates are dated by who reported them, and that clock may be ahead.
    news = [(each.dag.structure, _new_run(each, min(newest.get(each.dag.dag_id, now), now))) for each in owed]
    run_keys = create_new_runs(tx, news, now)
    tx.deliveries.take_each(
        [(each.dag.dag_id, run_key, each.consumption.event) for each, run_key in zip(owed, run_keys, strict=True)]
    )


def _new_run(owed: _Owed, run_after: datetime) -> NewRun:
    version_key = owed.dag.record.version_key
    assert version_key is not None
    suffix = _suffix(owed.consumption.event or owed.first_event)
    return NewRun(
        dag_id=owed.dag.dag_id,
        run_id=new_run_id(RunType.ASSET_TRIGGERED, run_after, logical_date=None, suffix=suffix),
        run_type=RunType.ASSET_TRIGGERED,
        run_after=run_after,
        version_key=version_key,
        triggered_by=TriggeredBy.ASSET,
    )


def unusable(record: DagRecord) -> bool:
    """Whether updates of assets wait because nothing of the DAG starts at all."""
    return record.is_paused or record.is_stale or record.error is not None or record.version_key is None


def _suffix(event: int) -> str:
    """Unique for the DAG without throwing dice: it consumes each update once."""
    digits = ""
    for _ in range(RUN_ID_SUFFIX_LENGTH):
        event, digit = divmod(event, len(_DIGITS))
        digits = _DIGITS[digit] + digits
    return digits
