"""The stores of assets, their events, and what is kept about them (C2, D3)."""

import pytest

from tests.conformance.storage.worlds import NOW, World, minutes
from tradewind.model.asset import AssetKey
from tradewind.storage.database import Database
from tradewind.storage.interface.shared_stores import (
    AssetEventChoice,
    AssetRecord,
    AssetReference,
    NewAsset,
    NewAssetEvent,
    StateWriter,
)
from tradewind.storage.transaction import SqlTransaction

WRITER = StateWriter("task", "sales", "r1", "load", -1)


def add(tx: SqlTransaction, name: str, uri: str | None = None, *, is_active: bool = True) -> AssetKey:
    """An asset; its URI is its name where none is given."""
    uri = uri or name
    tx.assets.add([NewAsset(name=name, uri=uri)], NOW)
    (record,) = (each for each in tx.assets.named([name], [uri]) if (each.name, each.uri) == (name, uri))
    tx.assets.activate({record.key: is_active})
    return record.key


def test_new_assets_are_inactive_and_known_ones_are_left_alone(store: Database) -> None:
    with store.begin() as tx:
        tx.assets.add([NewAsset(name="a", uri="s3://a", group="g", extra={"n": 2**70})], NOW)

        tx.assets.add([NewAsset(name="a", uri="s3://a"), NewAsset(name="a", uri="s3://other")], NOW)

        first, second = tx.assets.named(["a"], [])
        assert first == AssetRecord(
            key=first.key, name="a", uri="s3://a", group="g", extra={"n": 2**70}, is_active=False
        )
        assert (second.uri, second.group, second.extra) == ("s3://other", "asset", None)


def test_assets_are_described_anew(store: Database) -> None:
    with store.begin() as tx:
        key = add(tx, "a")
        other = add(tx, "b")

        tx.assets.describe([NewAsset(name="a", uri="a", group="g", extra={"x": 1})], NOW + minutes(1))
        tx.assets.describe([], NOW)

        assert [(each.group, each.extra) for each in tx.assets.read([key, other])] == [("g", {"x": 1}), ("asset", None)]
        assert tx.assets.read([]) == []


def test_active_asset_is_found_by_name_by_uri_and_by_both(store: Database) -> None:
    with store.begin() as tx:
        add(tx, "a", "s3://old", is_active=False)
        key = add(tx, "a", "s3://new")

        for which in ({"name": "a"}, {"uri": "s3://new"}, {"name": "a", "uri": "s3://new"}):
            found = tx.assets.find(**which)
            assert found is not None
            assert found.key == key
        assert tx.assets.find(uri="s3://old") is None
        assert tx.assets.find(name="A") is None
        assert tx.assets.find() is None
        tx.assets.activate({key: False})
        assert tx.assets.find(name="a") is None


def test_assets_are_found_by_any_of_many_names_and_uris(store: Database) -> None:
    with store.begin() as tx:
        keys = [add(tx, name, f"s3://{name}") for name in "abcd"]

        assert [each.key for each in tx.assets.named(["b", "a"], ["s3://a", "s3://d", "x"])] == [
            keys[0],
            keys[1],
            keys[3],
        ]
        assert tx.assets.named([], []) == []


def test_what_dags_refer_to_is_replaced_as_a_whole(world: World) -> None:
    world.dag("sales")
    world.dag("stock")
    with world.store.begin() as tx:
        a, b, c = (add(tx, name) for name in "abc")
        first = [
            AssetReference("sales", a, "schedule", ""),
            AssetReference("sales", a, "outlet", "load"),
            AssetReference("stock", b, "inlet", "load"),
        ]
        assert tx.assets.refer(["sales", "stock"], first) == set()
        assert tx.assets.referred_to([a, b, c]) == {a, b}
        assert tx.assets.dags_with(a, "outlet") == ["sales"]
        assert tx.assets.dags_with(b, "outlet") == []

        assert tx.assets.refer(["sales"], [AssetReference("sales", c, "outlet", "load")]) == {a}

        assert tx.assets.referred_to([a, b, c]) == {b, c}
        assert tx.assets.refer([], []) == set()
        tx.dags.delete("stock")
        assert tx.assets.referred_to([a, b, c]) == {c}


def test_alias_stands_for_the_active_assets_attached_to_it(store: Database) -> None:
    with store.begin() as tx:
        a, b, c = (add(tx, name) for name in "abc")
        tx.assets.put_aliases({"x": "asset", "y": "g"})
        tx.assets.put_aliases({"x": "g"})

        tx.assets.attach([("x", b), ("x", a), ("y", c)])
        tx.assets.attach([("x", b)])
        tx.assets.attach([("of its own", c)])
        tx.assets.attach([])

        assert [each.key for each in tx.assets.of_alias("x")] == [a, b]
        tx.assets.activate({b: False})
        assert [each.key for each in tx.assets.of_alias("x")] == [a]
        assert [each.key for each in tx.assets.of_alias("of its own")] == [c]
        assert tx.assets.of_alias("unknown") == []
        assert tx.assets.referred_to([a, b, c, AssetKey(10**9)]) == {a, b, c}


def test_events_come_back_as_they_were_given(store: Database) -> None:
    with store.begin() as tx:
        key = add(tx, "a", "s3://a")
        event = NewAssetEvent(
            asset_key=key,
            extra={"rows": 5, "nan": "ü"},
            source_dag_id="sales",
            source_task_id="load",
            source_run_id="r1",
            source_map_index=3,
            partition_key="2026-01-01",
            aliases=("x", 'odd "name" %'),
        )
        tx.asset_events.add([event, NewAssetEvent(asset_key=key)], NOW)
        tx.asset_events.add([], NOW)

        first, second = tx.asset_events.choose(AssetEventChoice(name="a"))

        assert (first.event, first.at, first.asset.uri) == (event, NOW, "s3://a")
        assert second.event == NewAssetEvent(asset_key=key)
        assert second.event_key > first.event_key
        (later,) = tx.asset_events.add([event], NOW + minutes(1))
        assert [each.event_key for each in tx.asset_events.choose(AssetEventChoice(after=NOW + minutes(1)))] == [later]


@pytest.mark.parametrize(
    ("choice", "expected"),
    [
        (AssetEventChoice(name="a"), [0, 2, 3, 4]),
        (AssetEventChoice(uri="s3://b"), [1]),
        (AssetEventChoice(name="a", uri="s3://b"), []),
        (AssetEventChoice(name="a", is_ascending=False), [4, 3, 2, 0]),
        (AssetEventChoice(name="a", limit=2), [0, 2]),
        (AssetEventChoice(name="a", is_ascending=False, limit=1), [4]),
        (AssetEventChoice(name="a", after=NOW + minutes(2)), [2, 3, 4]),
        (AssetEventChoice(name="a", before=NOW + minutes(2)), [0, 2]),
        (AssetEventChoice(after=NOW + minutes(1), before=NOW + minutes(2)), [1, 2]),
        (AssetEventChoice(alias="x"), [1, 3]),
        (AssetEventChoice(alias="%"), []),
        (AssetEventChoice(alias="y%_"), [3]),
    ],
)
def test_events_are_chosen_by_asset_alias_and_time(
    store: Database, choice: AssetEventChoice, expected: list[int]
) -> None:
    with store.begin() as tx:
        a, b = add(tx, "a", "s3://a"), add(tx, "b", "s3://b")
        tx.assets.put_aliases(dict.fromkeys(("x", "y%_", "%"), "asset"))
        tx.assets.attach([("x", a), ("x", b), ("y%_", a), ("%", a), ("%", b)])
        for number, (key, aliases) in enumerate([(a, ()), (b, ("x",)), (a, ("yy1",)), (a, ("x", "y%_")), (a, ())]):
            at = NOW + minutes(min(number, 3))  # the last two at the same instant
            tx.asset_events.add([NewAssetEvent(asset_key=key, extra={"number": number}, aliases=aliases)], at)

        found = [each.event.extra for each in tx.asset_events.choose(choice)]

    assert found == [{"number": number} for number in expected]


def test_values_about_assets_are_kept_by_their_keys(store: Database) -> None:
    with store.begin() as tx:
        a, b = add(tx, "a"), add(tx, "b")
        tx.asset_states.put(a, "cursor", 1, NOW, WRITER)
        tx.asset_states.put(a, "cursor", {"page": [2, None]}, NOW, WRITER)
        tx.asset_states.put(a, "other", "x", NOW, WRITER)
        tx.asset_states.put(b, "cursor", False, NOW, WRITER)

        assert tx.asset_states.find(a, "cursor") == {"page": [2, None]}
        assert tx.asset_states.find(b, "cursor") is False
        assert tx.asset_states.find(a, "missing") is None
        tx.asset_states.delete(a, "cursor")
        assert tx.asset_states.find(a, "cursor") is None
        tx.asset_states.clear(a)
        assert tx.asset_states.find(a, "other") is None
        assert tx.asset_states.find(b, "cursor") is False
