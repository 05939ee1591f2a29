"""The stores of pools and of service processes (A2, B4)."""

from dataclasses import replace

import pytest
import sqlalchemy as sa

from tests.conformance.storage.worlds import NOW, minutes
from tradewind.model.ids import JobKey
from tradewind.model.pool import Pool
from tradewind.storage.database import Database
from tradewind.storage.interface.job_store import JobRecord


def test_a_pool_comes_back_as_it_was_given(store: Database) -> None:
    pool = Pool("small", 3, include_deferred=True, description="für Tests 🐟", served_turn=2**62)
    with store.begin() as tx:
        tx.pools.create(pool)

    with store.begin() as tx:
        assert tx.pools.find("small") == pool
        assert tx.pools.find("Small") is None


def test_a_pool_may_be_without_limit(store: Database) -> None:
    with store.begin() as tx:
        tx.pools.create(Pool("endless", -1))

        assert tx.pools.find("endless") == Pool("endless", -1)


def test_pools_come_and_are_locked_by_name(store: Database) -> None:
    with store.begin() as tx:
        for name in ("b", "a", "c"):
            tx.pools.create(Pool(name, 1))

        assert [pool.name for pool in tx.pools.all()] == ["a", "b", "c"]
        assert [pool.name for pool in tx.pools.lock(["c", "missing", "a"])] == ["a", "c"]
        assert tx.pools.lock([]) == []


def test_a_pool_name_is_used_once(store: Database) -> None:
    with store.begin() as tx:
        tx.pools.create(Pool("small", 1))

    with pytest.raises(sa.exc.IntegrityError), store.begin() as tx:
        tx.pools.create(Pool("small", 2))


def test_the_virtual_time_of_a_pool_never_goes_back(store: Database) -> None:
    with store.begin() as tx:
        tx.pools.create(Pool("small", 1))
        for turn, expected in ((5, 5), (3, 5), (2**61, 2**61)):
            tx.pools.served("small", turn)
            assert tx.pools.find("small") == Pool("small", 1, served_turn=expected)


def test_update_changes_the_pool_but_not_its_virtual_time(store: Database) -> None:
    with store.begin() as tx:
        tx.pools.create(Pool("small", 1, served_turn=9))

        assert tx.pools.update(Pool("small", 5, include_deferred=True, description="more"))
        assert tx.pools.find("small") == Pool("small", 5, include_deferred=True, description="more", served_turn=9)
        assert not tx.pools.update(Pool("missing", 5))


def test_an_update_to_the_same_values_still_finds_the_pool(store: Database) -> None:
    """MySQL counts only rows that became different, unless it is told otherwise."""
    with store.begin() as tx:
        tx.pools.create(Pool("small", 1))

        assert tx.pools.update(Pool("small", 1))


def test_delete_says_whether_there_was_one(store: Database) -> None:
    with store.begin() as tx:
        tx.pools.create(Pool("small", 1))

        assert tx.pools.delete("small")
        assert not tx.pools.delete("small")


def test_a_started_job_lives_until_it_stops(store: Database) -> None:
    with store.begin() as tx:
        key = tx.jobs.start("scheduler", hostname="a", pid=2**31 - 1, now=NOW)
        other = tx.jobs.start("triggerer", hostname="b", pid=2, now=NOW)
        assert tx.jobs.live("scheduler") == [JobRecord(key, "scheduler", "a", 2**31 - 1, NOW, NOW)]

        tx.jobs.stop(key, NOW + minutes(1))

        assert tx.jobs.live("scheduler") == []
        assert [job.job_key for job in tx.jobs.live("triggerer")] == [other]


def test_a_heartbeat_renews_the_lease_of_the_living_only(store: Database) -> None:
    with store.begin() as tx:
        alive, stopped = (tx.jobs.start("scheduler", hostname="a", pid=1, now=NOW) for _ in range(2))
        tx.jobs.stop(stopped, NOW)

        assert tx.jobs.heartbeat(alive, NOW + minutes(1))
        assert tx.jobs.heartbeat(alive, NOW + minutes(1)), "the same instant again is no death"
        assert not tx.jobs.heartbeat(stopped, NOW + minutes(1))
        assert not tx.jobs.heartbeat(JobKey(10**12), NOW)
        assert [job.heartbeat_at for job in tx.jobs.live("scheduler")] == [NOW + minutes(1)]


def test_each_kind_of_service_was_last_heard_of_at_some_time(store: Database) -> None:
    with store.begin() as tx:
        assert tx.jobs.heartbeats() == {}
        running = tx.jobs.start("scheduler", hostname="a", pid=1, now=NOW)
        for kind in ("scheduler", "triggerer"):
            tx.jobs.stop(tx.jobs.start(kind, hostname="a", pid=1, now=NOW + minutes(2)), NOW + minutes(2))
        tx.jobs.heartbeat(running, NOW + minutes(1))

        assert tx.jobs.heartbeats() == {
            "scheduler": (NOW + minutes(2), NOW + minutes(1)),
            "triggerer": (NOW + minutes(2), None),
        }


def test_only_the_silent_are_declared_dead_and_only_once(store: Database) -> None:
    """Whoever gets the key back takes over the work: exactly one of all that ask (A2)."""
    with store.begin() as tx:
        silent = tx.jobs.start("scheduler", hostname="a", pid=1, now=NOW - minutes(10))
        heard = tx.jobs.start("scheduler", hostname="b", pid=2, now=NOW - minutes(10))
        stopped = tx.jobs.start("scheduler", hostname="c", pid=3, now=NOW - minutes(10))
        everyone = tx.jobs.live("scheduler")
        unknown = replace(everyone[0], job_key=JobKey(10**12))
        tx.jobs.heartbeat(heard, NOW)
        tx.jobs.stop(stopped, NOW)

        assert tx.jobs.declare_dead([*everyone, unknown], NOW) == {silent}
        assert tx.jobs.declare_dead(everyone, NOW) == set()
        assert tx.jobs.declare_dead([], NOW) == set()
        assert not tx.jobs.heartbeat(silent, NOW)
        assert [job.job_key for job in tx.jobs.live("scheduler")] == [heard]


def test_a_job_key_is_never_used_twice(store: Database) -> None:
    """A new scheduler must not inherit the tasks of a dead one by its number (A2)."""
    with store.begin() as tx:
        first = tx.jobs.start("scheduler", hostname="a", pid=1, now=NOW)
    with store.engine.begin() as connection:
        connection.execute(sa.text("DELETE FROM job"))

    with store.begin() as tx:
        assert tx.jobs.start("scheduler", hostname="a", pid=1, now=NOW) > first
