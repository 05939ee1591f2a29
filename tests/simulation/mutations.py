"""Guards that can be taken away, each of which the simulation must miss.

What is not here: the old-state comparison of `Queue.admit`. SQLite runs one transaction at a time, and candidates are
read in the transaction that admits them, so no interleaving of SQLite needs it; `tests/conformance` holds it to its
word on databases where it is needed.
"""

from collections.abc import Callable, Iterable
from dataclasses import replace
from functools import cache
from types import ModuleType
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.sql import visitors

from tests.simulation import attempt as worker
from tradewind.decide import gate
from tradewind.decide.liveness import Suspects
from tradewind.decide.progress import RunProgress
from tradewind.model.run import RunCounts, RunHead
from tradewind.model.states import TaskState
from tradewind.operations import begin_attempts, fire_triggers, settle_attempts, settle_slots, start_backfill
from tradewind.scheduler import rescue_lost, start_runs, state
from tradewind.storage import attempts, deliveries, guarded, queue, runs, tasks, triggers
from tradewind.storage.changes import Changes
from tradewind.storage.dag_changes import DagChanges
from tradewind.storage.guarded import GuardedUpdate
from tradewind.storage.schema import state_in, task_trigger
from tradewind.triggerer import service

_release_all_but = triggers.Triggers.release_all_but
Mutation = Callable[[pytest.MonkeyPatch], None]

SEEDS_ENOUGH = 400
"""Within so many seeds each is noticed; most are within ten."""


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
    for name, value in vars(attempts).copy().items():
        if hasattr(value, "cache_info"):
            # Built once: those of before must not stay, nor may those of now after the test.
            patch.setattr(attempts, name, cache(value.__wrapped__))


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


def end_waits_in_any_state(patch: pytest.MonkeyPatch) -> None:
    """A trigger that ends its task does so although the task waits for it no longer."""

    def guard(batch: sa.Subquery) -> sa.ColumnElement[bool]:
        return sa.and_(guarded.same_attempt(batch), ~state_in(TaskState.QUEUED))

    _set_guard(patch, attempts._END_WAITING, guard)


def answers_forgotten(patch: pytest.MonkeyPatch) -> None:
    """Who was answered before it had left its worker waits until its time is over."""
    patch.setattr(settle_attempts, "resume_answered", lambda *_: None)


def claim_what_others_have(patch: pytest.MonkeyPatch) -> None:
    """Triggerers take whatever is wanted, also from those who live."""
    for name in ("_FREE", "_STILL_FREE", "_CLAIM", "_LOCK_FREE"):
        patch.setattr(triggers, name, _without_owner(getattr(triggers, name)))


def _without_owner(statement: Any) -> Any:
    """The same, as if all triggers were free."""

    def replaced(element: Any, **_: Any) -> Any:
        return sa.true() if element is triggers._IS_FREE else None

    return visitors.replacement_traverse(statement, {}, replaced)


def free_what_others_have(patch: pytest.MonkeyPatch) -> None:
    """Who looks for triggers of the dead frees those of the living."""
    patch.setattr(triggers.Triggers, "release_all_but", lambda self, _: _release_all_but(self, []))


def triggerers_buried_at_once(patch: pytest.MonkeyPatch) -> None:
    """A triggerer that was heard of a moment ago is dead."""

    class Hasty(Suspects):
        def __init__(self, _: float) -> None:
            super().__init__(0.0)

    patch.setattr(service, "Suspects", Hasty)


def wanted_triggers_deleted(patch: pytest.MonkeyPatch) -> None:
    """Who looks for triggers that nobody waits for any more takes all for such."""
    every = sa.select(task_trigger.c.trigger_key)
    patch.setattr(triggers, "_UNWANTED", every)


def events_forgotten(patch: pytest.MonkeyPatch) -> None:
    """What a trigger says is not kept for its task."""
    patch.setattr(fire_triggers, "_with", lambda deferral, _: deferral)


def deferrals_kept_for_the_next_try(patch: pytest.MonkeyPatch) -> None:
    """A try that begins goes on where the one before it waited."""
    patch.setattr(begin_attempts, "begins_a_try", lambda _: False)


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


def updates_consumed_again(patch: pytest.MonkeyPatch) -> None:
    """A run consumes what another one of its DAG has consumed."""
    patch.setattr(deliveries, "delivery_is_pending", sa.true())
    for name, made in list(
        vars(deliveries).items()
    ):  # statements that are kept would be kept for the seeds that follow
        if hasattr(made, "cache_clear"):
            patch.setattr(deliveries, name, cache(made.__wrapped__))


def dags_with_updates_forgotten(patch: pytest.MonkeyPatch) -> None:
    """Nobody is told that an update waits for a DAG."""
    patch.setattr(DagChanges, "record", lambda *_: None)


def all_ticks_wait_on(patch: pytest.MonkeyPatch) -> None:
    """The next tick supersedes none."""
    patch.setattr(settle_slots, "superseded", lambda *_, **__: ())


MUTATIONS: dict[str, Mutation] = {
    mutation.__name__: mutation
    for mutation in (
        no_attempt_comparison,
        start_in_any_state,
        end_in_any_state,
        resume_twice,
        end_waits_in_any_state,
        answers_forgotten,
        claim_what_others_have,
        free_what_others_have,
        triggerers_buried_at_once,
        wanted_triggers_deleted,
        events_forgotten,
        deferrals_kept_for_the_next_try,
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
        updates_consumed_again,
        dags_with_updates_forgotten,
        all_ticks_wait_on,
        refused_heartbeat_ignored,
    )
}

BEGINS_AT = {
    "no_attempt_comparison": 112,
    "start_in_any_state": 7,
    "parallelism_not_counted": 5,
    "end_in_any_state": 17,
    "resume_twice": 205,
    "end_waits_in_any_state": 245,
    "answers_forgotten": 283,
    "claim_what_others_have": 8,
    "free_what_others_have": 8,
    "triggerers_buried_at_once": 8,
    "wanted_triggers_deleted": 8,
    "events_forgotten": 8,
    "deferrals_kept_for_the_next_try": 40,
    "instances_not_counted": 12,
    "runs_of_backfills_not_counted": 5,
    "backfills_done_with_their_last_date": 5,
    "gate_wide_open": 3,
    "memory_always_trusted": 5,
    "refused_start_ignored": 4,
    "all_ticks_wait_on": 13,
    "refused_heartbeat_ignored": 892,
}
"""The seeds by which races are noticed: to come to them from the first one takes minutes. A change of what is simulated
moves them; the search goes on from here."""

OF_WAITING = frozenset({"resume_twice", "end_waits_in_any_state", "deferrals_kept_for_the_next_try"})
"""Those that only seeds with many deferrals notice soon."""
