"""The store of what listeners of plugins are to be told (D2)."""

import threading

import pytest

from tests.conformance.storage.worlds import JOB, NOW, OTHER_JOB, minutes
from tests.databases import DatabaseKind
from tradewind.model.listener_news import Hook, News, StoredNews
from tradewind.storage.database import Database
from tradewind.storage.interface.schedule_stores import Audience, Listener
from tradewind.storage.interface.shared_stores import NewAsset
from tradewind.storage.transaction import SqlTransaction

LATER = NOW + minutes(1)
NEWS = [
    News(Hook.ASSET_CREATED, {"name": "sales", "extra": {"größe": [1, None, "\ud800"]}}),
    News(Hook.STARTING, {"id": 7}),
    News(Hook.ASSET_CHANGED, {"name": "sales"}),
]
ASSET_HOOKS = (Hook.ASSET_CREATED, Hook.ASSET_CHANGED)


def claim(tx: SqlTransaction, hooks: tuple[Hook, ...] = tuple(Hook), limit: int = 10) -> list[StoredNews]:
    return tx.news.claim(hooks, limit, JOB, now=NOW, until=LATER)


def test_news_are_taken_once_in_their_order_and_whole_by_who_hears_of_them(store: Database) -> None:
    with store.begin() as tx:
        tx.news.add(NEWS, NOW)
        tx.news.add([], NOW)
        assert claim(tx, ()) == []

        (first,) = claim(tx, ASSET_HOOKS, limit=1)
        (second,) = claim(tx, ASSET_HOOKS)
        assert claim(tx, ASSET_HOOKS) == []
        (third,) = claim(tx)

    assert [first.news, second.news, third.news] == [NEWS[0], NEWS[2], NEWS[1]]
    assert {each.attempts for each in (first, second, third)} == {1}


def test_what_was_taken_by_who_fell_silent_is_taken_by_another_and_counted(store: Database) -> None:
    with store.begin() as tx:
        tx.news.add(NEWS, NOW)
        keys = [each.key for each in claim(tx)]
        tx.news.renew(keys[:1], JOB, LATER + minutes(5))
        tx.news.renew(keys, OTHER_JOB, LATER + minutes(5))

        taken = tx.news.claim(tuple(Hook), 10, OTHER_JOB, now=LATER, until=LATER + minutes(1))

    assert [(each.key, each.attempts) for each in taken] == [(key, 2) for key in keys[1:]]


def test_what_is_given_back_was_not_begun_unless_it_is_an_attempt(store: Database) -> None:
    with store.begin() as tx:
        tx.news.add(NEWS, NOW)
        first, second, third = (each.key for each in claim(tx))
        tx.news.release([first, third], OTHER_JOB)
        assert claim(tx) == []

        tx.news.release([first], JOB)
        tx.news.release([second], JOB, is_attempt=True)
        assert [(each.key, each.attempts) for each in claim(tx)] == [(first, 1), (second, 2)]

        tx.news.delete([first, second, third])
        tx.news.release([first, second, third], JOB)
        assert claim(tx) == []


def test_what_nobody_wants_to_hear_of_any_more_goes(store: Database) -> None:
    with store.begin() as tx:
        tx.news.add(NEWS, NOW)
        tx.news.keep_only({Hook.STARTING, Hook.STOPPING})

        assert [each.news for each in claim(tx)] == [NEWS[1]]


def test_two_processors_never_take_the_same(database_kind: DatabaseKind, store: Database) -> None:
    if database_kind == "sqlite":
        pytest.skip("writes are serialized")
    with store.begin() as tx:
        tx.news.add(NEWS, NOW)
    with store.begin() as one, store.begin() as other:
        assert len(claim(one, limit=2)) == 2
        assert [each.news for each in claim(other)] == [NEWS[2]]


def test_what_listeners_want_to_hear_of_is_known_of_all_active_bundles_together(store: Database) -> None:
    with store.begin() as tx:
        tx.bundles.sync(["a", "b"])
        assert tx.bundles.hooks() == frozenset()
        assert tx.deliveries.audience() == Audience(has_dags=False, hooks=frozenset())

        tx.bundles.set_hooks("a", tuple(Hook))
        tx.bundles.set_hooks("b", {Hook.ASSET_CHANGED})
        assert tx.bundles.hooks() == set(Hook)
        assert tx.deliveries.audience().hooks == {Hook.ASSET_CHANGED, Hook.ASSET_EVENT}

        tx.bundles.sync(["b"])
        assert tx.bundles.hooks() == {Hook.ASSET_CHANGED}
        assert tx.deliveries.audience().hooks == {Hook.ASSET_CHANGED}

        tx.dags.create("sales", is_paused=False, now=NOW)
        tx.deliveries.listen(["sales"], [Listener("sales", "name", "orders")])
        assert tx.deliveries.audience() == Audience(has_dags=True, hooks=frozenset({Hook.ASSET_CHANGED}))


def test_of_all_who_add_an_asset_or_an_alias_at_once_one_has_made_it(store: Database) -> None:
    """Else listeners would hear of it twice."""
    made: list[tuple[int, int]] = []
    gate = threading.Barrier(4)

    def add() -> None:
        gate.wait()
        with store.begin() as tx:
            assets = tx.assets.add_each([NewAsset(name="sales", uri="sales")], NOW)
            made.append((len(assets), len(tx.assets.put_aliases({"latest": "asset"}))))

    adders = [threading.Thread(target=add) for _ in range(4)]
    for adder in adders:
        adder.start()
    for adder in adders:
        adder.join()

    assert sorted(made) == [(0, 0), (0, 0), (0, 0), (1, 1)]
    with store.begin() as tx:
        assert tx.assets.aliases(["latest", "other"]) == {"latest": "asset"}
