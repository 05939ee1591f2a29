"""Guards that can be taken away, each of which the simulation must miss.

What is not here: the old-state comparison of `Queue.admit`. SQLite runs one transaction at a time, and candidates are
read in the transaction that admits them, so no interleaving of SQLite needs it; `tests/conformance` holds it to its
word on databases where it is needed.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from types import ModuleType

import pytest
import sqlalchemy as sa

from tests.simulation import attempt as worker
from tradewind.decide import gate
from tradewind.decide.liveness import Suspects
from tradewind.decide.progress import RunProgress
from tradewind.model.run import RunCounts, RunHead
from tradewind.model.states import TaskState
from tradewind.operations import start_backfill
from tradewind.scheduler import rescue_lost, start_runs, state
from tradewind.storage import attempts, guarded, queue, runs, tasks
from tradewind.storage.changes import Changes
from tradewind.storage.guarded import GuardedUpdate
from tradewind.storage.schema import state_in

Mutation = Callable[[pytest.MonkeyPatch], None]

SEEDS_ENOUGH = 400
"""Within so many seeds each is noticed; most are within ten, the rarest race took a hundred."""


def _set_guard(patch: pytest.MonkeyPatch, update: GuardedUpdate, guard: guarded.Guard) -> None:
    patch.setattr(update, "_guard", guard)
    patch.setattr(update, "_statements", cache(update._build))


def _rebuild(patch: pytest.MonkeyPatch, modules: Iterable[ModuleType]) -> None:
    for module in modules:
        for value in vars(module).values():
            if isinstance(value, GuardedUpdate):
                patch.setattr(value, "_statements", cache(value._build))


def no_attempt_comparison(patch: pytest.MonkeyPatch) -> None:
    """Guarded writes no longer look at the attempt."""
    modules = (attempts, queue, tasks)
    for module in modules:
        patch.setattr(module, "same_attempt", guarded.same_task)
    _rebuild(patch, modules)


def start_in_any_state(patch: pytest.MonkeyPatch) -> None:
    """Whoever has the attempt may start it, also a second time."""
    _set_guard(patch, attempts._START, guarded.same_attempt)


def end_in_any_state(patch: pytest.MonkeyPatch) -> None:
    """A report counts even where the task has already ended."""
    _set_guard(patch, attempts._END, guarded.same_attempt)


def resume_twice(patch: pytest.MonkeyPatch) -> None:
    """An event resumes a task that no longer waits for it."""

    def guard(batch: sa.Subquery) -> sa.ColumnElement[bool]:
        return sa.and_(guarded.same_attempt(batch), ~state_in(TaskState.QUEUED))

    _set_guard(patch, attempts._RESUME, guard)


def pool_not_counted(patch: pytest.MonkeyPatch) -> None:
    """Admission takes each pool for empty."""
    count = queue.Queue.slots_in_use
    patch.setattr(queue.Queue, "slots_in_use", lambda self, job: replace(count(self, job), by_pool={}))


def parallelism_not_counted(patch: pytest.MonkeyPatch) -> None:
    """Admission takes the scheduler for idle."""
    count = queue.Queue.slots_in_use
    patch.setattr(queue.Queue, "slots_in_use", lambda self, job: replace(count(self, job), held=0))


def instances_not_counted(patch: pytest.MonkeyPatch) -> None:
    """`max_active_tis_per_dag` is compared with nothing."""
    patch.setattr(queue.Queue, "count_active", lambda *_: 0)


def runs_not_counted(patch: pytest.MonkeyPatch) -> None:
    """`max_active_runs` is compared with nothing."""
    count = runs.Runs.count_active

    def none_running(self: runs.Runs, dag_ids: Iterable[str]) -> dict[str, RunCounts]:
        return {dag_id: counts._replace(running=0) for dag_id, counts in count(self, list(dag_ids)).items()}

    patch.setattr(runs.Runs, "count_active", none_running)


def runs_of_backfills_not_counted(patch: pytest.MonkeyPatch) -> None:
    """`max_active_runs` of a backfill is compared with nothing."""
    patch.setattr(start_runs, "free_places", lambda backfill, _: backfill.plan.max_active_runs)


def backfills_done_with_their_last_date(patch: pytest.MonkeyPatch) -> None:
    """A backfill counts as complete while its runs are running."""
    patch.setattr(start_backfill, "is_done", lambda backfill, _: backfill.looked_at == backfill.plan.total)


def gate_wide_open(patch: pytest.MonkeyPatch) -> None:
    """No limit inside of a run."""
    create = gate.Gate.__init__

    def without_limit(self: gate.Gate, *arguments: object) -> None:
        create(self, *arguments)  # type: ignore[arg-type]
        self._limit = 1_000

    patch.setattr(gate.Gate, "__init__", without_limit)


def changes_not_recorded(patch: pytest.MonkeyPatch) -> None:
    """Nobody is told what happened to tasks."""
    patch.setattr(Changes, "record", lambda *_: None)


def memory_always_trusted(patch: pytest.MonkeyPatch) -> None:
    """What a scheduler remembers of a run is used whatever others did since."""

    def take(self: state.RunMemory, run: RunHead) -> RunProgress | None:
        known = self._known.pop(run.key, None)
        if known is None:
            return None
        self._tasks -= known[1].size
        return known[1]

    patch.setattr(state.RunMemory, "take", take)


def silence_not_confirmed(patch: pytest.MonkeyPatch) -> None:
    """Age alone makes an attempt lost, by a clock that may have jumped."""

    class Hasty(Suspects):
        def __init__(self, _: float) -> None:
            super().__init__(0.0)

    patch.setattr(rescue_lost, "Suspects", Hasty)


def refused_start_ignored(patch: pytest.MonkeyPatch) -> None:
    """Workers run whatever reaches them."""
    patch.setattr(worker, "OBEYS_REFUSED_START", False)


def refused_heartbeat_ignored(patch: pytest.MonkeyPatch) -> None:
    """Workers go on when told to stop, and do not watch their lease."""
    patch.setattr(worker, "WATCHES_LEASE", False)


MUTATIONS: dict[str, Mutation] = {
    mutation.__name__: mutation
    for mutation in (
        no_attempt_comparison,
        start_in_any_state,
        end_in_any_state,
        resume_twice,
        pool_not_counted,
        parallelism_not_counted,
        instances_not_counted,
        runs_not_counted,
        runs_of_backfills_not_counted,
        backfills_done_with_their_last_date,
        gate_wide_open,
        changes_not_recorded,
        memory_always_trusted,
        silence_not_confirmed,
        refused_start_ignored,
        refused_heartbeat_ignored,
    )
}
