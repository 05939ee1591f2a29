"""A database that is away: said once, waited for, and nothing lost."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

import pytest

from tests.component.world import PatientExecutor, World
from tradewind.errors import DatabaseUnavailable
from tradewind.model.dag import Task
from tradewind.model.states import RunState
from tradewind.runtime.service import Loop
from tradewind.storage.database import Database
from tradewind.storage.interface import Transaction
from tradewind.storage.transaction import SqlTransaction
from tradewind.telemetry.events import DatabaseBack, DatabaseLost
from tradewind.testing.clock import FakeClock

T = TypeVar("T")


class Outages:
    """A store whose transactions number `first` to `last` fail, before or after their commit."""

    def __init__(self, store: Database, first: int, last: int, *, after_commit: bool = False) -> None:
        self._store = store
        self._range = range(first, last + 1)
        self._after_commit = after_commit
        self.number = 0

    def _is_away(self) -> bool:
        self.number += 1
        return self.number in self._range

    @contextmanager
    def begin(self) -> Iterator[Transaction]:
        is_away = self._is_away()
        if is_away and not self._after_commit:
            raise DatabaseUnavailable("connection refused")
        with self._store.begin() as tx:
            yield tx
        if is_away:
            raise DatabaseUnavailable("connection lost")

    def transact(self, work: Callable[[SqlTransaction], T]) -> T:
        is_away = self._is_away()
        if is_away and not self._after_commit:
            raise DatabaseUnavailable("connection refused")
        result = self._store.transact(work)
        if is_away:
            raise DatabaseUnavailable("connection lost")
        return result


class PassesTime:
    """A wake-up that nobody gives: waiting lets the fake time pass."""

    def __init__(self, clock: FakeClock, each_wait: Callable[[], None]) -> None:
        self._clock = clock
        self._each_wait = each_wait

    def wake(self) -> None: ...

    def wait(self, timeout_s: float) -> bool:
        self._each_wait()
        self._clock.advance(max(timeout_s, 0.01))
        return False


def run_loop(world: World, store: Outages, executor: PatientExecutor, *, most_waits: int = 200) -> None:
    """Run a scheduler in its loop until the run has ended. Tasks end whenever the scheduler waits."""
    scheduler = world.scheduler(executor, store=store)
    waits = 0

    def each_wait() -> None:
        nonlocal waits
        waits += 1
        executor.end()

    def is_stopping() -> bool:
        return waits > most_waits or world.run().state in (RunState.SUCCESS, RunState.FAILED)

    Loop(scheduler, world.clock, PassesTime(world.clock, each_wait), is_stopping).run()


def test_an_outage_is_told_once_and_waited_for_ever_longer(world: World) -> None:
    world.dag(Task("a"), Task("b", upstream=("a",)))
    world.trigger()
    executor = PatientExecutor(world.clock)

    run_loop(world, Outages(world.database, 20, 29), executor)

    assert world.run().state is RunState.SUCCESS
    assert [event.error for event in world.told(DatabaseLost)] == ["connection refused"]
    assert len(world.told(DatabaseBack)) == 1
    assert world.clock.slept_s == [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 15.0, 15.0, 15.0, 15.0]


@pytest.mark.parametrize("after_commit", [False, True])
@pytest.mark.parametrize("first", range(3, 60, 3))
def test_an_outage_at_any_moment_loses_nothing_and_runs_nothing_twice(
    world: World, first: int, after_commit: bool
) -> None:
    """Whether the last commit took effect is unknown; the answer must not matter."""
    world.dag(Task("a"), Task("b", upstream=("a",)), Task("c", upstream=("b",)))
    world.trigger()
    executor = PatientExecutor(world.clock)

    run_loop(world, Outages(world.database, first, first + 1, after_commit=after_commit), executor)

    assert world.run().state is RunState.SUCCESS
    assert set(world.states().values()) == {"success"}
    assert sorted({item.attempt.task_id for item in executor.submitted}) == ["a", "b", "c"]
    assert {item.attempt.attempt for item in executor.submitted} == {1}


def test_a_loop_that_is_told_to_stop_during_an_outage_stops(world: World) -> None:
    world.dag(Task("a"))
    world.trigger()
    store = Outages(world.database, 5, 10_000)
    scheduler = world.scheduler(PatientExecutor(world.clock), store=store)

    Loop(
        scheduler,
        world.clock,
        PassesTime(world.clock, lambda: None),
        is_stopping=lambda: len(world.clock.slept_s) >= 3,
    ).run()

    assert world.clock.slept_s == [0.25, 0.5, 1.0]
    assert len(world.told(DatabaseLost)) == 1
