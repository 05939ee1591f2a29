"""Watchers of assets: who wants them, who runs them, and which of their events are stored (C2, E5, E6)."""

from typing import Any

import pytest

from tests.conformance.storage.worlds import JOB, NOW, OTHER_JOB, World
from tradewind.model.asset import AssetKey
from tradewind.model.listing import Listed, Query
from tradewind.model.trouble import Trouble
from tradewind.model.watcher import NewWatcher, WatcherKey, WatcherUse
from tradewind.storage.database import Database
from tradewind.storage.interface.shared_stores import AssetReference, NewAsset
from tradewind.storage.interface.watcher_store import SealedWatcher


def watcher(identity: str = "bell", **values: Any) -> NewWatcher:
    """A watcher."""
    plain = {
        "class_path": "package.Bell",
        "kwargs": '{"a":1}',
        "is_encrypted": False,
        "bundle_name": "files",
        "path": "sales.py",
    }
    return NewWatcher(identity=identity, **{**plain, **values})


@pytest.fixture
def orders(world: World, store: Database) -> AssetKey:
    """An active asset that the DAG `sales` waits for."""
    world.dag()
    with store.begin() as tx:
        tx.assets.add([NewAsset(name="orders", uri="db://orders")], NOW)
        (record,) = tx.assets.named(["orders"], ())
        tx.assets.refer(["sales"], [AssetReference("sales", record.key, "schedule", "")])
        tx.assets.activate({record.key: True})
    return record.key


def declare(store: Database, asset: AssetKey, *identities: str, dag_id: str = "sales") -> None:
    """The asset has these watchers from now on, says the DAG."""
    uses = {WatcherUse(dag_id, asset, identity, f"name of {identity}") for identity in identities}
    with store.begin() as tx:
        tx.watchers.declare([dag_id], [watcher(identity) for identity in identities], uses, NOW)


def test_a_watcher_is_claimed_once_with_all_that_it_takes_to_run_it(store: Database, orders: AssetKey) -> None:
    """E6."""
    declare(store, orders, "bell")

    with store.begin() as tx:
        assert tx.has_trigger_news is False
        (claimed,) = tx.watchers.claim(JOB, 10)
        assert tx.watchers.claim(OTHER_JOB, 10) == []
        assert tx.watchers.wanted(JOB) == {claimed.key: None}
        ((key, asset, name, uri),) = tx.watchers.assets([claimed.key])

    assert (claimed.class_path, claimed.kwargs, claimed.is_encrypted) == ("package.Bell", '{"a":1}', False)
    assert (claimed.bundle_name, claimed.path, claimed.stored, claimed.failures) == ("files", "sales.py", 0, 0)
    assert (key, asset, name, uri) == (claimed.key, orders, "orders", "db://orders")


def test_a_watcher_is_shared_and_goes_with_the_last_dag_that_declares_it(
    world: World, store: Database, orders: AssetKey
) -> None:
    world.dag("other")
    declare(store, orders, "bell", "drum")
    declare(store, orders, "bell", dag_id="other")

    with store.begin() as tx:
        keys = [each.key for each in tx.watchers.sealed()]
        tx.watchers.forget(["sales"])
        assert tx.has_trigger_news
        assert tx.watchers.delete_undeclared() == 1
        assert [each.key for each in tx.watchers.sealed()] == keys[:1]
        tx.watchers.forget(["other"])
        assert tx.watchers.delete_undeclared() == 1
        assert tx.watchers.delete_undeclared() == 0


def test_a_watcher_is_run_with_the_newest_version_of_its_bundle(store: Database, orders: AssetKey) -> None:
    """E9."""
    declare(store, orders, "bell")
    with store.begin() as tx:
        tx.bundles.sync(["files"])
        tx.bundles.set_version("files", "one")
        (claimed,) = tx.watchers.claim(JOB, 1)
        tx.bundles.set_version("files", "two")
        assert (claimed.bundle_version, tx.watchers.wanted(JOB)) == ("one", {claimed.key: "two"})


def test_saying_the_same_again_wakes_nobody(store: Database, orders: AssetKey) -> None:
    declare(store, orders, "bell")
    use = WatcherUse("sales", orders, "bell", "name of bell")

    with store.begin() as tx:
        tx.watchers.declare(["sales"], [watcher()], [use], NOW)
        assert not tx.has_trigger_news
        tx.watchers.declare(["sales"], [watcher()], [use._replace(name="another")], NOW)
        assert tx.has_trigger_news


@pytest.mark.parametrize("lost", ["paused", "stale", "not waited for", "inactive"])
def test_a_watcher_is_wanted_while_a_dag_that_runs_waits_for_its_asset(
    store: Database, orders: AssetKey, lost: str
) -> None:
    declare(store, orders, "bell")

    with store.begin() as tx:
        (claimed,) = tx.watchers.claim(JOB, 1)
        match lost:
            case "paused":
                tx.dags.set_paused("sales", True)
            case "stale":
                tx.dags.set_stale(["sales"])
            case "inactive":
                tx.assets.activate({orders: False})
            case _:
                tx.assets.refer(["sales"], [AssetReference("sales", orders, "outlet", "load")])
        assert tx.watchers.wanted(JOB) == {}
        tx.watchers.let_go([claimed.key], OTHER_JOB)
        assert tx.watchers.lock([claimed.key], JOB) == {claimed.key: 0}
        tx.watchers.let_go([claimed.key], JOB)
        assert tx.watchers.lock([claimed.key], JOB) == {}
        assert tx.watchers.claim(JOB, 1) == []
        tx.watchers.wake()
        assert tx.has_trigger_news


def test_only_its_owner_counts_what_it_saw_and_says_that_it_failed(store: Database, orders: AssetKey) -> None:
    declare(store, orders, "bell")
    with store.begin() as tx:
        (claimed,) = tx.watchers.claim(JOB, 1)
        key = claimed.key
        tx.watchers.fail(key, OTHER_JOB, "not mine", NOW)
        tx.watchers.fail(key, JOB, "cracked", NOW)
        tx.watchers.fail(key, JOB, "cracked again", NOW)
        assert tx.watchers.lock([key], OTHER_JOB) == {}
        tx.watchers.release(JOB)
        (again,) = tx.watchers.claim(OTHER_JOB, 1)
        assert again.failures == 2
        tx.watchers.count({key: 7})
        assert tx.watchers.release_all_but([OTHER_JOB]) == 0
        assert tx.watchers.release_all_but([JOB]) == 1
        (later,) = tx.watchers.claim(JOB, 1)
        assert (later.stored, later.failures) == (7, 0)


def test_who_claims_at_the_same_time_gets_others_and_waits_for_nobody(store: Database, orders: AssetKey) -> None:
    """E6."""
    if store.dialect_name == "sqlite":
        return  # it has one writer at a time
    declare(store, orders, "bell", "drum", "gong")

    with store.begin() as first:
        some = first.watchers.claim(JOB, 2)
        with store.begin() as second:
            others = second.watchers.claim(OTHER_JOB, 3)
    with store.begin() as later:
        rest = later.watchers.claim(OTHER_JOB, 3)

    keys = [each.key for each in (*some, *others, *rest)]
    assert len(some) == 2
    assert len(keys) == len(set(keys)) == 3


def test_arguments_can_be_stored_anew(store: Database, orders: AssetKey) -> None:
    """E5."""
    declare(store, orders, "bell")
    with store.begin() as tx:
        ((key, kwargs, is_encrypted),) = tx.watchers.sealed()
        tx.watchers.reseal([SealedWatcher(WatcherKey(key), "secret", True)])
        assert (kwargs, is_encrypted) == ('{"a":1}', False)
        assert tx.watchers.sealed() == [SealedWatcher(key, "secret", True)]


def test_what_was_posted_to_a_webhook_waits_until_somebody_is_done_with_it(store: Database) -> None:
    with store.begin() as tx:
        numbers = [tx.watchers.post("orders", body, NOW) for body in ('"a"', '"b"', '"c"')]
        tx.watchers.post("other", "1", NOW)
        assert tx.watchers.count_posted("orders") == 3
        assert tx.watchers.posted("orders", 0, 2) == [(numbers[0], '"a"'), (numbers[1], '"b"')]
        assert tx.watchers.posted("orders", numbers[1], 9) == [(numbers[2], '"c"')]
        tx.watchers.drop_posted("orders", numbers[:2])
        tx.watchers.drop_posted("other", numbers)
        assert tx.watchers.posted("orders", 0, 9) == [(numbers[2], '"c"')]
        assert tx.watchers.count_posted("other") == 1


def test_what_a_watcher_did_to_others_is_known_and_who_takes_it_over_gives_it_another_chance(
    store: Database, orders: AssetKey
) -> None:
    """E8."""
    declare(store, orders, "bell")
    with store.begin() as tx:
        (claimed,) = tx.watchers.claim(JOB, 10)
        tx.watchers.note_troubles({claimed.key: Trouble(blocks=2, blocked_at=NOW, stack="line 1")}, OTHER_JOB)
        tx.watchers.note_troubles({claimed.key: Trouble(blocks=3, blocked_at=NOW, stack="line 2")}, JOB)
        tx.watchers.note_troubles({claimed.key: Trouble(blocks=3, is_quarantined=True)}, JOB)
        tx.watchers.note_troubles({}, JOB)

    def shown() -> tuple[object, ...]:
        (row,) = store.read(lambda tx: tx.listings.page(Listed.WATCHERS, Query((), is_counted=False))).rows
        return tuple(row[name] for name in ("blocked_count", "last_blocked", "last_blocked_stack", "is_quarantined"))

    assert shown() == (3, NOW, "line 2", True)
    with store.begin() as tx:
        tx.watchers.release(JOB)
        (again,) = tx.watchers.claim(OTHER_JOB, 10)
    assert (again.blocks, shown()) == (3, (3, NOW, "line 2", False))
