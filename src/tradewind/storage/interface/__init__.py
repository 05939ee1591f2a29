"""What the rest of Tradewind may ask of the database. Protocols only; `storage.database.Database` implements them.

All methods of the stores belong to one `Transaction`: nothing is visible to others before it ends without an
exception, and nothing of it remains if it does not. Locks are taken in one order everywhere, so that no two
transactions wait for each other: DAG files, pools, then DAGs, then runs, then task instances, each by ascending key.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol, TypeVar

from tradewind.model.attempt_end import Usage
from tradewind.model.dag_file import FileName
from tradewind.model.ids import AttemptKey, JobKey, RunKey, TaskKey, VersionKey
from tradewind.model.pool import Pool
from tradewind.model.run import NewRun, Run, RunCounts, RunHead
from tradewind.model.states import RunState, TaskState
from tradewind.model.task import Candidate, NewTask, Started, TaskInstance, TaskSnapshot, WorkItem
from tradewind.model.timetable import RunInfo
from tradewind.storage.interface.backfill_store import BackfillStore
from tradewind.storage.interface.client_stores import ClientStores
from tradewind.storage.interface.connection_test_store import ConnectionTestStore
from tradewind.storage.interface.deadline_callback_store import DeadlineCallbackStore
from tradewind.storage.interface.deadline_store import DeadlineStore
from tradewind.storage.interface.file_stores import BundleStore, CallbackStore, FileStore, VersionStore
from tradewind.storage.interface.inquiry_store import InquiryStore
from tradewind.storage.interface.job_store import JobStore
from tradewind.storage.interface.kept_stores import DeferralStore, RenderedStore, TaskStateStore, XComStore
from tradewind.storage.interface.lookup_store import LookupStore
from tradewind.storage.interface.measure_store import MeasureStore
from tradewind.storage.interface.new_run_store import NewRunStore
from tradewind.storage.interface.news_store import NewsStore
from tradewind.storage.interface.plan_store import PlanStore
from tradewind.storage.interface.pool_store import PoolStore
from tradewind.storage.interface.schedule_stores import ScheduleStores
from tradewind.storage.interface.shared_stores import (
    AssetEventStore,
    AssetStateStore,
    AssetStore,
    ConnectionStore,
    VariableStore,
)
from tradewind.storage.interface.start_store import StartStore
from tradewind.storage.interface.trigger_store import TriggerStore
from tradewind.storage.interface.watcher_store import WatcherStore
from tradewind.telemetry.events import Event

T = TypeVar("T")

MOST_SLOTS = 2**31 - 1
"""More slots than any task can need."""


@dataclass(frozen=True, slots=True)
class DagRecord:
    """A DAG's own row: what changes without a new version."""

    dag_id: str
    is_paused: bool
    version_key: VersionKey | None
    next_run: RunInfo | None
    is_at_run_limit: bool = False
    error: str | None = None
    """Why the scheduler leaves this DAG alone, if it does."""
    is_stale: bool = False
    """Whether no file has it any more."""
    file: FileName | None = None
    """Where it comes from, or came from."""


class DagFlags(NamedTuple):
    """What keeps a DAG from being scheduled."""

    is_paused: bool
    error: str | None
    version_key: VersionKey | None
    """Not what keeps it, but what a run's own version is compared with."""


@dataclass(frozen=True, slots=True)
class TakenChanges:
    """What happened to some runs, and what is seen of it then or later: whatever is missing here is yet to be taken."""

    runs: set[RunKey]
    """Those to look at; no single task was named."""
    tasks: set[TaskKey]
    """The instances that changed."""
    flags: dict[RunKey, DagFlags]
    """Of the DAGs of all runs that were asked for."""
    snapshots: list[TaskSnapshot]
    """Of the instances that changed, as far as they exist."""


class TaskAdvance(NamedTuple):
    """A move by the run's own rules. States and `held_by` as text: it goes to the database as it is."""

    run_key: RunKey
    task_id: str
    map_index: int
    attempt: int
    from_state: str
    to_state: str
    try_number: int
    held_by: str | None
    queue_turn: int


@dataclass(frozen=True, slots=True)
class AttemptEnd:
    """How an attempt left its executor."""

    attempt: AttemptKey
    to_state: TaskState
    at: datetime
    started_at: datetime | None = None
    wake_at: datetime | None = None
    map_length: int | None = None
    skips: tuple[str, ...] = ()
    reason: str | None = None
    usage: Usage | None = None


@dataclass(frozen=True, slots=True)
class SlotsInUse:
    """Who has slots."""

    held: int
    """How many instances have theirs from the scheduler that asks."""
    by_pool: Mapping[str, tuple[int, int]]
    """Slots of those that work, and of those that are deferred."""

    def of(self, pool: Pool) -> int:
        """As the pool counts them."""
        occupied, deferred = self.by_pool.get(pool.name, (0, 0))
        return occupied + deferred if pool.include_deferred else occupied


@dataclass(frozen=True, slots=True)
class RunEnd:
    """How a run ended."""

    run_key: RunKey
    state: RunState
    reason: str | None = None


class DagStore(Protocol):
    """DAGs and their versions."""

    def create(self, dag_id: str, *, is_paused: bool, now: datetime) -> None:
        """A DAG without a version yet."""

    def create_missing(self, dags: Mapping[str, bool], now: datetime) -> None:
        """Those of `dag_id: is_paused` that do not exist yet, whoever else may be creating them at the same time."""

    def find(self, dag_id: str) -> DagRecord | None:
        """Without a lock."""

    def all(self) -> list[DagRecord]:
        """By id."""

    def lock(self, dag_ids: Collection[str], *, skip_locked: bool = False) -> list[DagRecord]:
        """Lock the rows that exist, by id; `skip_locked` leaves out those that others hold."""

    def due(self, now: datetime, limit: int) -> list[DagRecord]:
        """Lock, longest due first, DAGs whose next run shall be created: not paused, not at their run limit, not
        in error, and not held by another scheduler."""

    def next_due_at(self) -> datetime | None:
        """When `due` will next have an answer, as things are."""

    def version_data(self, version_keys: Collection[VersionKey]) -> dict[VersionKey, tuple[str, str]]:
        """(dag_id, DAG JSON) of versions. They never change."""

    def set_next_run(self, dag_id: str, info: RunInfo | None) -> None:
        """What the timetable says comes next."""

    def set_next_runs(self, infos: Mapping[str, RunInfo | None]) -> None:
        """What the timetables of many DAGs say comes next."""

    def assign(self, files: Mapping[str, FileName | None]) -> None:
        """These DAGs come from these files, and so are not stale."""

    def set_stale(self, dag_ids: Collection[str]) -> None:
        """No file has these DAGs any more: no run of them comes next."""

    def set_paused(self, dag_id: str, is_paused: bool) -> None:
        """Pause or unpause."""

    def set_at_run_limit(self, dag_ids: Collection[str], is_at_limit: bool) -> None:
        """Whether `due` shall leave these DAGs out because they have all the runs they may have."""

    def reset_run_limits(self) -> None:
        """Let `due` look at every DAG again: the net below `set_at_run_limit`."""

    def set_error(self, dag_id: str, error: str | None) -> None:
        """Fence a DAG off, or take the fence away."""

    def delete(self, dag_id: str) -> bool:
        """With its versions, runs and task instances. False: there was none."""


class RunStore(Protocol):
    """DAG runs."""

    def create(self, new: NewRun, now: datetime) -> RunKey:
        """A queued run without task instances. The DAG must be locked and the run not `is_taken`."""

    def is_taken(self, dag_id: str, run_id: str, logical_date: datetime | None) -> bool:
        """Whether the DAG already has a run of that id or logical date."""

    def find(self, dag_id: str, run_id: str) -> Run | None:
        """Without a lock."""

    def read(self, run_keys: Collection[RunKey]) -> list[Run]:
        """Without a lock."""

    def of_dag(self, dag_id: str) -> list[Run]:
        """In their order."""

    def last_scheduled(self, dag_id: str) -> Run | None:
        """The newest run that the timetable made, also if a backfill has made it one of its own since."""

    def lock(self, run_keys: Collection[RunKey], *, skip_locked: bool = False) -> list[Run]:
        """Lock the rows that exist, by key; `skip_locked` leaves out those that others hold."""

    def lock_heads(self, run_keys: Collection[RunKey]) -> list[RunHead]:
        """Lock, by key, those rows that exist and that nobody else holds."""

    def count_active(self, dag_ids: Collection[str]) -> dict[str, RunCounts]:
        """The runs of each DAG that count against `max_active_runs`: those of a backfill do not."""

    def startable(self, dag_ids: Collection[str], now: datetime, limit: int) -> list[RunHead]:
        """Lock queued runs of these DAGs whose time has come, oldest first, but for those of backfills. The DAGs must
        be locked."""

    def dags_with_startable(self, now: datetime) -> list[str]:
        """Unpaused DAGs that have queued runs whose time has come."""

    def start(self, starts: Sequence[tuple[RunKey, datetime | None]], now: datetime) -> set[RunKey]:
        """queued → running, with the instant of its timeout. Returns those that were queued."""

    def finish(self, ends: Sequence[RunEnd], now: datetime) -> set[RunKey]:
        """running → its end. Returns those that were running."""

    def set_state(self, run_key: RunKey, expected: RunState, state: RunState, now: datetime, **values: object) -> bool:
        """A change by a person; `values` are further columns. False: it was not in the expected state."""

    def decided(
        self, run_keys: Collection[RunKey], job: JobKey | None, now: datetime, moves: Sequence[TaskAdvance] = ()
    ) -> set[TaskKey]:
        """Give the runs a new change number: every memory of them but the caller's own is now old.

        `job` becomes their owner, whom other schedulers let go first. None: it was no scheduler that decided; the
        owner stays as it is. `moves` is what was decided, done and answered as by `TaskStore.advance`.
        """

    def running_of_dag(self, dag_id: str) -> list[RunKey]:
        """Running runs."""

    def before(self, run: Run | RunHead, *, only_scheduled: bool) -> Run | None:
        """The run of the same DAG before this one; of those only that a timetable or a backfill made, if so asked."""

    def after(self, run: Run | RunHead, *, only_scheduled: bool) -> Run | None:
        """The run of the same DAG after this one, likewise."""

    def overdue(self, now: datetime) -> list[RunKey]:
        """Running runs past their timeout."""

    def next_timer(self, now: datetime) -> datetime | None:
        """When the next run times out or may start."""

    def failed_in_a_row(self, dag_id: str, limit: int) -> int:
        """How many of the newest ended runs failed without a success in between, counted up to `limit`."""

    def set_note(self, run_key: RunKey, note: str | None) -> None:
        """A person's remark."""

    def delete(self, run_key: RunKey) -> None:
        """With its task instances."""


class TaskStore(Protocol):
    """Task instances as parts of their run."""

    def create(self, tasks: Sequence[NewTask]) -> None:
        """New instances in state none."""

    def drop_unexpanded(self, keys: Sequence[TaskKey]) -> None:
        """Delete the stand-ins of mapped tasks that now get instances; only while undecided."""

    def of_runs(self, run_keys: Collection[RunKey]) -> list[TaskSnapshot]:
        """All instances of these runs."""

    def snapshots(self, keys: Collection[TaskKey]) -> list[TaskSnapshot]:
        """These instances, as far as they exist."""

    def instances(self, run_key: RunKey, task_ids: Collection[str] | None = None) -> list[TaskInstance]:
        """A run's instances (of these tasks) in full, by task id and map index."""

    def advance(self, moves: Sequence[TaskAdvance], now: datetime) -> set[TaskKey]:
        """Each move whose row is still at (attempt, from_state). Returns those that were."""

    def hold(self, keys: Sequence[TaskKey]) -> set[TaskKey]:
        """Put waiting instances back behind their run's limit. Returns those that were still waiting."""

    def hold_paused(self, dag_id: str, *, is_paused: bool) -> None:
        """Keep the DAG's scheduled instances from slots, or hand them back to their runs' limits."""

    def set_state(
        self,
        instances: Sequence[TaskInstance],
        state: TaskState,
        now: datetime,
        *,
        max_tries: Sequence[int],
        reason: str,
    ) -> set[TaskKey]:
        """A change by a person or by the end of the run. Returns those still at the given attempt and state."""

    def stop_unfinished(
        self, run_key: RunKey, now: datetime, *, spare: Collection[str], reason: str, fails_running: bool
    ) -> list[TaskSnapshot]:
        """End all unfinished instances but those of the spared tasks: skipped, and failed if they have a process
        and `fails_running`. Returns what they became."""

    def refit(self, tasks: Sequence[NewTask]) -> None:
        """Give undecided instances what another version of their DAG says of them, but for the number of tries."""

    def set_notes(self, keys: Sequence[TaskKey], note: str | None) -> set[TaskKey]:
        """A person's remark. Returns those that exist."""

    def delete(self, keys: Sequence[TaskKey]) -> None:
        """With all that belongs to them, whatever their state."""

    def count_states(self, run_key: RunKey, task_ids: Collection[str]) -> dict[str, dict[TaskState, int]]:
        """How many instances of each of these tasks are in which state, as far as the run has them."""


class QueueStore(Protocol):
    """Scheduled instances that wait for slots, and those that have them."""

    def waiting(
        self,
        pool: str,
        limit: int,
        *,
        least_slots: int = 0,
        most_slots: int = MOST_SLOTS,
        full_executors: Collection[str | None] = (),
        full_tasks: Collection[tuple[str, str]] = (),
    ) -> list[Candidate]:
        """The head of the pool's queue: by priority, then fair turn. Left out: what needs fewer slots than
        `least_slots` or more than `most_slots`, is for a full executor (None: the default one), or belongs to a full
        (dag_id, task_id)."""

    def pools_waited_for(self) -> dict[str, int]:
        """How many instances wait for slots of which pool, whether the pool exists or not."""

    def slots_by_state(self) -> dict[tuple[str, TaskState], int]:
        """By (pool, state): the slots of waiting (scheduled, not held back) and active instances."""

    def count_ahead(self, key: TaskKey) -> int:
        """How many instances are before this waiting one in its pool's queue; 0 if it does not wait."""

    def occupied_slots(self, pool: str, *, include_deferred: bool) -> int:
        """Slots in use. Exact while the pool is locked."""

    def slots_in_use(self, job: JobKey) -> SlotsInUse:
        """Those of all pools, and what this scheduler handed out. Exact for pools that are locked."""

    def survey(
        self, job: JobKey, pool: str, limit: int, *, most_slots: int = MOST_SLOTS
    ) -> tuple[SlotsInUse, list[Candidate]]:
        """`slots_in_use`, and `waiting` of one pool."""

    def count_active(self, dag_id: str, task_id: str) -> int:
        """Instances of this task that hold slots, over all runs. Exact while the DAG is locked."""

    def admit(self, candidates: Sequence[Candidate], job: JobKey, now: datetime) -> set[TaskKey]:
        """scheduled → queued, attempt + 1. Returns those still waiting at the given attempt."""

    def requeue(self, attempts: Sequence[AttemptKey]) -> set[TaskKey]:
        """queued → scheduled. Returns those still queued at that attempt."""

    def adopt(self, attempts: Sequence[tuple[AttemptKey, JobKey]], job: JobKey) -> set[TaskKey]:
        """Make `job` responsible for attempts of other jobs. Returns those that still were theirs."""

    def queued_work(self, job: JobKey) -> list[WorkItem]:
        """What this scheduler has queued and no worker has begun."""

    def held_by_dead(self, live: Collection[JobKey]) -> list[TaskInstance]:
        """Instances with slots whose scheduler is none of the live ones."""

    def queued_before(self, instant: datetime) -> list[TaskInstance]:
        """Instances queued before then and still not begun."""


class AttemptStore(Protocol):
    """The life of an attempt."""

    def start(self, reports: Sequence[Started], now: datetime) -> set[TaskKey]:
        """queued → running. Returns those still queued at that attempt."""

    def begin(self, reports: Sequence[Started], now: datetime) -> tuple[list[TaskInstance], list[Run]]:
        """As `start`, and what they are now, by key, with their runs."""

    def end(self, ends: Sequence[AttemptEnd], *, recorded_at: datetime | None = None) -> set[TaskKey]:
        """queued or running → its end. Returns those still there at that attempt. With `recorded_at`, their changes are
        recorded as by `ChangeStore.record`."""

    def end_waiting(self, ends: Sequence[AttemptEnd]) -> set[TaskKey]:
        """deferred or awaiting_input → its end, without a worker. Returns those still there at that attempt."""

    def stopped(self, attempts: Sequence[AttemptKey]) -> set[TaskKey]:
        """restarting → none. Returns those still restarting at that attempt."""

    def heartbeat(self, attempts: Sequence[AttemptKey], now: datetime) -> set[TaskKey]:
        """Note that these run. Returns those that may go on; the others must stop."""

    def resume(self, attempts: Sequence[AttemptKey], now: datetime) -> set[TaskKey]:
        """deferred or awaiting_input → scheduled, behind its run's limit."""

    def lock(self, attempts: Sequence[AttemptKey]) -> list[TaskInstance]:
        """Lock the instances that are still at these attempts, by key."""

    def current(self, attempts: Collection[AttemptKey]) -> set[AttemptKey]:
        """Those of them that are the latest of their task instance, and running."""

    def of_worker(self, worker: JobKey) -> list[TaskInstance]:
        """Instances with a process that this supervisor began."""

    def silent_since(self, instant: datetime) -> list[TaskInstance]:
        """Instances with a process that was not heard of since then."""

    def due(self, now: datetime, limit: int) -> list[TaskKey]:
        """Lock instances whose timer ran out, oldest first."""

    def wake(self, keys: Sequence[TaskKey]) -> set[TaskKey]:
        """Take the timers off. Returns those that had one."""

    def next_wake_at(self) -> datetime | None:
        """When `due` will next have an answer."""

    def archive(self, keys: Sequence[TaskKey]) -> None:
        """Copy the latest attempts to the history, once each."""


class ChangeStore(Protocol):
    """What happened to runs since a scheduler last looked: what makes them dirty."""

    def record(self, tasks: Iterable[TaskKey], now: datetime) -> None:
        """These task instances changed (or shall be looked at)."""

    def record_runs(self, run_keys: Iterable[RunKey], now: datetime) -> None:
        """These runs shall be looked at."""

    def lock_dirty(self, limit: int, *, job: JobKey, foreign_before: datetime) -> list[RunHead]:
        """Lock, by key, runs with changes that nobody else holds; the longest waiting, if there are more. Another
        scheduler's runs only if it is gone, or left the change lying since `foreign_before`."""

    def take(self, run_keys: Collection[RunKey]) -> TakenChanges:
        """Consume the changes of locked runs."""

    def take_dirty(self, limit: int, *, job: JobKey, foreign_before: datetime) -> tuple[list[RunHead], TakenChanges]:
        """`lock_dirty`, and `take` for all that it found."""

    def is_any_pending(self) -> bool:
        """Whether any run is dirty."""


class EngineStores(Protocol):
    """DAGs, runs, task instances, and who works on them."""

    @property
    def dags(self) -> DagStore: ...
    @property
    def versions(self) -> VersionStore: ...
    @property
    def bundles(self) -> BundleStore: ...
    @property
    def files(self) -> FileStore: ...
    @property
    def callbacks(self) -> CallbackStore: ...
    @property
    def news(self) -> NewsStore: ...
    @property
    def plans(self) -> PlanStore: ...
    @property
    def deadlines(self) -> DeadlineStore: ...
    @property
    def deadline_callbacks(self) -> DeadlineCallbackStore: ...
    @property
    def runs(self) -> RunStore: ...
    @property
    def new_runs(self) -> NewRunStore: ...
    @property
    def backfills(self) -> BackfillStore: ...
    @property
    def tasks(self) -> TaskStore: ...
    @property
    def queue(self) -> QueueStore: ...
    @property
    def starts(self) -> StartStore: ...
    @property
    def attempts(self) -> AttemptStore: ...
    @property
    def changes(self) -> ChangeStore: ...
    @property
    def pools(self) -> PoolStore: ...
    @property
    def jobs(self) -> JobStore: ...
    @property
    def measures(self) -> MeasureStore: ...


class TaskStores(Protocol):
    """What tasks leave behind and ask for."""

    @property
    def xcoms(self) -> XComStore: ...
    @property
    def rendered(self) -> RenderedStore: ...
    @property
    def task_states(self) -> TaskStateStore: ...
    @property
    def deferrals(self) -> DeferralStore: ...
    @property
    def inquiries(self) -> InquiryStore: ...
    @property
    def triggers(self) -> TriggerStore: ...
    @property
    def watchers(self) -> WatcherStore: ...
    @property
    def lookups(self) -> LookupStore: ...
    @property
    def variables(self) -> VariableStore: ...
    @property
    def connections(self) -> ConnectionStore: ...
    @property
    def connection_tests(self) -> ConnectionTestStore: ...
    @property
    def assets(self) -> AssetStore: ...
    @property
    def asset_events(self) -> AssetEventStore: ...
    @property
    def asset_states(self) -> AssetStateStore: ...


class Transaction(EngineStores, ScheduleStores, TaskStores, ClientStores, Protocol):
    """One transaction: the stores, and what shall be told once it is committed."""

    @property
    def has_recorded_changes(self) -> bool:
        """Whether a scheduler will have something to do."""

    def emit(self, *events: Event) -> None:
        """Tell these events after the commit, and only then."""


class Store(Protocol):
    """The database."""

    def begin(self) -> AbstractContextManager[Transaction]:
        """One transaction: committed at the end of the block, rolled back by an exception.

        Raises:
            TransactionConflict: the database gave it up in favour of another; nothing was written.
            DatabaseUnavailable: no answer; whether a commit took effect is unknown.
        """

    def transact(self, work: Callable[[Transaction], T]) -> T:
        """Run `work` in a transaction of its own, again if it comes into conflict with others."""


class LastingStore(Store, Protocol):
    """The database, for those who go on only when what they did cannot be lost."""

    def transact_lastingly(self, work: Callable[[Transaction], T]) -> T:
        """`transact`, and return when it is on disk, where commits do not wait for that by themselves. Others hear of
        it before.

        Raises:
            DatabaseUnavailable: no answer; what was committed may be lost.
        """


class ReadingStore(LastingStore, Protocol):
    """The database, for those who mostly look at it."""

    def read(self, work: Callable[[Transaction], T]) -> T:
        """Run `work`, which writes nothing, without waiting for anybody who writes."""
