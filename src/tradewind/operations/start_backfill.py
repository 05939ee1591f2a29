"""Begin a backfill, and go on with it until it is complete.

A backfill is worked off in batches, each a transaction that makes some runs and notes in the same breath how many dates
were looked at. Whoever dies in between leaves nothing half done; whoever comes next goes on from there.
"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from itertools import islice
from typing import Final

from tradewind.decide.backfill import (
    Treatment,
    date_of,
    has_partitions,
    is_done,
    partition_about,
    planned_dates,
    treatment,
)
from tradewind.errors import Conflict, InvalidRequest, RunExists, UnknownDag
from tradewind.model.backfill import Backfill, BackfillPlan
from tradewind.model.ids import BackfillKey, VersionKey
from tradewind.model.run import NewRun
from tradewind.model.run_ids import new_run_id
from tradewind.model.states import RunType, TriggeredBy
from tradewind.model.timetable import RunInfo
from tradewind.operations.backfill_gate import BackfillGate
from tradewind.operations.backfill_updates import note_updates
from tradewind.operations.choose_tasks import Selection, touch_run
from tradewind.operations.clear_tasks import Afterwards, clear_tasks, reopen_run
from tradewind.operations.create_run import create_run
from tradewind.operations.plan_backfill import runs_of_dates
from tradewind.operations.structures import Structures
from tradewind.operations.use_latest_version import use_latest_version
from tradewind.storage.interface import DagRecord, Transaction
from tradewind.storage.interface.backfill_store import ExistingRun

MOST_AHEAD: Final = 500
"""How many queued runs a backfill has at most, but for one batch: more are made when some of these have begun."""
_MOST_RUNS: Final = 50
_MOST_TASKS: Final = 2_000
"""In one batch, so that nobody waits for it for long."""


def start_backfill(tx: Transaction, plan: BackfillPlan, structures: Structures, now: datetime) -> Backfill:
    """Store the backfill and make its first runs, which wakes a scheduler; that makes the others.

    Raises:
        UnknownDag: there is none of that id any more.
        InvalidRequest: there is not a single date in its range.
        Conflict: the DAG has a backfill that is not complete.
    """
    records = tx.dags.lock([plan.dag_id])
    if not records:
        raise UnknownDag(plan.dag_id)
    if not plan.total:
        span = f"{plan.from_date.isoformat()} to {plan.to_date.isoformat()}"
        raise InvalidRequest(f"DAG {plan.dag_id!r} has no dates to backfill from {span}")
    other = tx.backfills.open_of_dag(plan.dag_id)
    if other is not None:
        raise Conflict(f"DAG {plan.dag_id!r} already has a backfill that is not complete: {other}")
    key = tx.backfills.create(plan, now)
    continue_backfill(tx, records[0], key, structures, now)
    begun = tx.backfills.find(key)
    assert begun is not None
    return begun


def continue_backfill(
    tx: Transaction, record: DagRecord, key: BackfillKey, structures: Structures, now: datetime
) -> int:
    """Make the next runs of the backfill of a locked DAG, or note that it is complete. Returns how many dates were
    looked at: while it is not 0, there may be more to do at once.

    Raises:
        DagUnusable: the version of the DAG that the backfill needs cannot be read.
    """
    backfill = tx.backfills.find(key)
    if backfill is None or backfill.is_complete:
        return 0
    running, queued = tx.backfills.count_active(key)
    active, looked_at = running + queued, 0
    is_held = backfill.is_paused or record.is_stale or record.error is not None
    if record.version_key is not None and not is_held and queued < MOST_AHEAD:
        batch = _Batch(tx, backfill, record.version_key, structures, now)
        looked_at = batch.work()
        active += looked_at - batch.passed_over
    if is_done(replace(backfill, looked_at=backfill.looked_at + looked_at), active):
        tx.backfills.complete(key, now)
    return looked_at


class _Batch:
    """The next dates of a backfill, dealt with in one transaction."""

    def __init__(
        self, tx: Transaction, backfill: Backfill, latest: VersionKey, structures: Structures, now: datetime
    ) -> None:
        self._tx = tx
        self._backfill = backfill
        self._structures = structures
        self._now = now
        self._version_key = latest if backfill.plan.uses_latest_version else backfill.plan.version_key
        self._bundle_version = None if self._version_key == latest else self._bundle_of(self._version_key)
        self._structure = structures.get(tx, self._version_key)
        self._planned_for = structures.get(tx, backfill.plan.version_key).dag
        """As the DAG was when it was asked for."""
        self.passed_over = 0
        self._gate = BackfillGate(tx, self._structure.dag)

    def work(self) -> int:
        """Returns how many dates were looked at."""
        plan, since = self._backfill.plan, self._backfill.looked_at
        size = max(1, min(_MOST_RUNS, _MOST_TASKS // max(1, len(self._structure.tasks))))
        infos = list(islice(planned_dates(self._planned_for.timetable, plan, position=since), size))
        self._deal_with(infos)
        if infos and not self._tx.backfills.advance(
            self._backfill.key, since=since, looked_at=len(infos), passed_over=self.passed_over, now=self._now
        ):
            raise Conflict(f"backfill {self._backfill.key} was changed by somebody who had not locked its DAG")
        return len(infos)

    def _deal_with(self, infos: Sequence[RunInfo]) -> None:
        existing = runs_of_dates(self._tx, self._planned_for, infos)
        known = {run.key: treatment(run.state, self._backfill.plan.reprocess) for run in existing.values()}
        # All at once and by key, as everybody locks them.
        self._tx.runs.lock([key for key, what in known.items() if what is Treatment.START_OVER])
        for info in infos:
            run = existing.get(date_of(info))
            is_wanted = self._gate.is_open(info) if run is None else known[run.key] is Treatment.START_OVER
            if not is_wanted:
                self.passed_over += 1
            elif run is None or has_partitions(self._planned_for.timetable):
                self._create(info)  # as in Airflow: a partition may have any number of runs, and all are kept
            else:
                self._start_over(run)

    def _create(self, info: RunInfo) -> None:
        plan = self._backfill.plan
        partition = partition_about(self._planned_for.timetable, info)
        key, date = (None, None) if partition is None else partition
        # One backfill makes one run for each instant.
        suffix = f"{self._backfill.key % 10**8:08d}"
        usual_id = new_run_id(
            RunType.BACKFILL, info.run_after, logical_date=info.logical_date, suffix=suffix, partition_key=key
        )
        new = NewRun(
            dag_id=plan.dag_id,
            run_id=info.run_id or usual_id,
            run_type=RunType.BACKFILL,
            run_after=info.run_after,
            version_key=self._version_key,
            logical_date=info.logical_date,
            data_interval=info.data_interval,
            conf=plan.conf,
            triggered_by=TriggeredBy.BACKFILL,
            triggering_user_name=plan.triggering_user_name,
            backfill_key=self._backfill.key,
            bundle_version=self._bundle_version,
            partition_key=key,
            partition_date=date,
        )
        try:
            run_key = create_run(self._tx, self._structure, new, self._now)
        except RunExists:
            self.passed_over += 1  # another run has taken the name
        else:
            note_updates(self._tx, self._planned_for, self._backfill, run_key, info)

    def _start_over(self, existing: ExistingRun) -> None:
        tx, now = self._tx, self._now
        whole = Selection(self._backfill.dag_id, existing.run_id)
        clear_tasks(tx, whole, self._structures, now, Afterwards(reopens_runs=False))
        (run,) = tx.runs.lock([existing.key])
        reopen_run(tx, run, now)
        tx.backfills.take_over(existing.key, self._backfill, now)
        if self._backfill.plan.uses_latest_version:
            (run,) = tx.runs.lock([existing.key])
            use_latest_version(tx, run, self._structures, now)
        touch_run(tx, run, now)

    def _bundle_of(self, version_key: VersionKey) -> str | None:
        origin = self._tx.versions.origins([version_key]).get(version_key)
        return None if origin is None else origin.bundle_version
