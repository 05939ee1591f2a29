"""Asset events in the context of a task (C2)."""

import datetime as dt
from functools import partial
from typing import Any

import pytest

from tests.unit.sdk_runtime.memory_runtime import MemoryRuntime
from tradewind.model.task_answers import AssetAliasResult, AssetEventResult, AssetResult, DagRunResult
from tradewind.sdk.asset_events import (
    AssetEvent,
    AssetNotFound,
    ConsumedAssetEvents,
    InletEventsAccessors,
    OutletEventAccessor,
    OutletEventAccessors,
    TriggeringAssetEventsAccessor,
)
from tradewind.sdk.assets import Asset, AssetAlias, AssetAliasUniqueKey, AssetUniqueKey
from tradewind.sdk.exceptions import ErrorType
from tradewind.sdk.xcom import BaseXCom

ASSET, OTHER, ALIAS = Asset("one", "s3://bucket/one"), Asset("other"), AssetAlias("alias")
STORED = AssetResult(name="one", uri="s3://bucket/one", extra={"kind": "stored"})


def at(day: int) -> dt.datetime:
    return dt.datetime(2026, 1, day, tzinfo=dt.UTC)


def event(day: int, asset: AssetResult = STORED, **more: Any) -> AssetEventResult:
    return AssetEventResult(id=day, asset=asset, timestamp=at(day), **more)


def test_outlet_event_carries_extra(runtime: MemoryRuntime) -> None:
    events = OutletEventAccessors()

    events[ASSET].extra["rows"] = 5
    events[ASSET].extra |= {"more": 1}

    assert events[ASSET] == OutletEventAccessor(AssetUniqueKey("one", "s3://bucket/one"), {"rows": 5, "more": 1})
    assert (len(events), list(events)) == (1, [Asset("one", "s3://bucket/one")])


def test_outlet_is_found_by_reference_name_and_uri(runtime: MemoryRuntime) -> None:
    runtime.assets.append(STORED)
    events = OutletEventAccessors()

    events[Asset.ref(name="one")].extra["a"] = 1
    events.for_asset(uri="s3://bucket/one").extra["b"] = 2
    events.for_asset(name="one").extra["c"] = 3
    events.for_asset(name="one", uri="s3://bucket/one").extra["d"] = 4

    assert events[ASSET].extra == {"a": 1, "b": 2, "c": 3, "d": 4}


def test_reference_that_leads_nowhere_is_named(runtime: MemoryRuntime) -> None:
    with pytest.raises(AssetNotFound, match="leads to no active asset") as missing:
        OutletEventAccessors()[Asset.ref(name="nope")]

    assert missing.value.error.error is ErrorType.ASSET_NOT_FOUND


def test_wrong_keys_are_refused() -> None:
    with pytest.raises(TypeError, match="not by str"):
        OutletEventAccessors()["one"]  # type: ignore[index]
    with pytest.raises(ValueError, match="needs the name or the uri"):
        OutletEventAccessors().for_asset()


def test_alias_stands_for_assets(runtime: MemoryRuntime) -> None:
    runtime.assets.append(STORED)
    events = OutletEventAccessors()

    events[ALIAS].add(OTHER, extra={"rows": 1})
    events.for_asset_alias(name="alias").add(Asset.ref(name="one"))

    added = events[ALIAS].asset_alias_events
    assert [(each.dest_asset_key.name, each.dest_asset_extra, each.extra) for each in added] == [
        ("other", {}, {"rows": 1}),
        ("one", {"kind": "stored"}, {}),
    ]
    assert {each.source_alias_name for each in added} == {"alias"}


def test_asset_itself_stands_for_no_other() -> None:
    events = OutletEventAccessors()

    events[ASSET].add(OTHER)

    assert events[ASSET].asset_alias_events == []


def test_partitions_are_added_once() -> None:
    accessor = OutletEventAccessors()[ASSET]

    accessor.add_partitions("2026-01-01")
    accessor.add_partitions(["2026-01-01", "2026-01-02"])

    assert accessor.partition_keys == {"2026-01-01", "2026-01-02"}


@pytest.mark.parametrize("key", ["", " ", "x" * 251])
def test_partition_key_that_cannot_be_is_refused(key: str) -> None:
    accessor = OutletEventAccessors()[ASSET]

    with pytest.raises(ValueError, match="partition key"):
        accessor.add_partitions(["good", key])

    assert accessor.partition_keys == set()


def test_alias_has_no_partitions() -> None:
    with pytest.raises(TypeError, match="an alias has no partitions"):
        OutletEventAccessors()[ALIAS].add_partitions("x")


def test_events_of_an_inlet_are_fetched_when_looked_at(runtime: MemoryRuntime) -> None:
    runtime.events += [event(2), event(1)]
    events = InletEventsAccessors([ASSET])[ASSET]

    assert runtime.event_requests == []
    assert [each.id for each in events] == [1, 2]
    assert (len(events), events[-1].id, [each.id for each in events[:1]]) == (2, 2, [1])
    assert len(runtime.event_requests) == 1
    assert events[0].uri == "s3://bucket/one"


def test_filters_narrow_the_events_down(runtime: MemoryRuntime) -> None:
    runtime.events += [event(day) for day in range(1, 5)]
    events = InletEventsAccessors([ASSET])[ASSET]

    narrowed = events.after(at(1)).before("2026-01-04").ascending(False).limit(2)

    assert [each.id for each in narrowed] == [4, 3]
    assert runtime.event_requests[-1] == {
        "name": "one",
        "uri": "s3://bucket/one",
        "alias_name": None,
        "after": at(1),
        "before": at(4),
        "ascending": False,
        "limit": 2,
    }
    assert len(narrowed.limit(3)) == 3


def test_inlet_is_found_in_many_ways(runtime: MemoryRuntime) -> None:
    runtime.assets.append(STORED)
    events = InletEventsAccessors([Asset.ref(name="one"), ALIAS, OTHER, {"no": "asset"}])

    for key in (0, 1, 2, ASSET, Asset.ref(name="one"), Asset.ref(uri="s3://bucket/one"), ALIAS):
        list(events[key])
    list(events.for_asset_alias(name="alias"))

    asked = [(each["name"], each["uri"], each["alias_name"]) for each in runtime.event_requests]
    assert asked == [
        ("one", None, None),
        (None, None, "alias"),
        ("other", "other", None),
        ("one", "s3://bucket/one", None),
        ("one", None, None),
        (None, "s3://bucket/one", None),
        (None, None, "alias"),
        (None, None, "alias"),
    ]
    assert len(events) == 4


@pytest.mark.parametrize(
    ("key", "error"),
    [(Asset("third"), KeyError), (AssetAlias("third"), KeyError), (1, IndexError), (9, IndexError), ("one", TypeError)],
)
def test_what_is_no_inlet_is_refused(runtime: MemoryRuntime, key: Any, error: type[Exception]) -> None:
    with pytest.raises(error):
        InletEventsAccessors([ASSET, "not an asset"])[key]


def test_event_leads_to_the_task_that_caused_it(runtime: MemoryRuntime) -> None:
    run = DagRunResult(dag_id="d", run_id="r", run_after=at(1), run_type="manual", state="success")
    runtime.runs["d", "r"] = run
    BaseXCom.set("return_value", 42, dag_id="d", run_id="r", task_id="t", map_index=3)
    source: dict[str, Any] = {"source_dag_id": "d", "source_run_id": "r", "source_task_id": "t", "source_map_index": 3}

    caused = AssetEvent.from_result(event(1, **source))
    by_hand = AssetEvent.from_result(event(2))

    assert caused.source_dag_run == run
    task = caused.source_task_instance
    assert task is not None
    assert (task.dag_id, task.run_id, task.xcom_pull(), task.xcom_pull(key="k", default=1)) == ("d", "r", 42, 1)
    assert by_hand.source_dag_run is None
    assert by_hand.source_task_instance is None


def test_events_that_caused_the_run_are_found_by_asset_and_alias(runtime: MemoryRuntime) -> None:
    runtime.assets.append(STORED)
    through_alias = event(2, source_aliases=(AssetAliasResult("alias"),))
    other = event(3, AssetResult(name="other", uri="other"))

    events = TriggeringAssetEventsAccessor([event(1), through_alias, other])

    assert [each.id for each in events[ASSET]] == [1, 2]
    assert [each.id for each in events[ALIAS]] == [2]
    assert [each.id for each in events.for_asset(name="one")] == [1, 2]
    assert {key for key, _ in events.items()} == {ASSET, OTHER, ALIAS}
    with pytest.raises(KeyError):
        events[Asset("third")]


def test_many_events_that_caused_the_run_are_read_in_pages_and_not_kept(
    runtime: MemoryRuntime, monkeypatch: pytest.MonkeyPatch
) -> None:
    """C2: as the few are found, whatever their number."""
    in_pages = partial(runtime.get_consumed_asset_events, limit=2)
    monkeypatch.setattr(runtime, "get_consumed_asset_events", in_pages)
    through_alias = event(2, source_aliases=(AssetAliasResult("alias"),))
    runtime.consumed = [event(1), through_alias, event(3, AssetResult(name="other", uri="other")), event(4), event(5)]

    everything = ConsumedAssetEvents()
    events = TriggeringAssetEventsAccessor(everything)
    assert runtime.pages == 0

    assert [each.id for each in events[ASSET]] == [each.id for each in events[ASSET]] == [1, 2, 4, 5]
    assert [each.id for each in events[ALIAS]] == [2]
    assert {key for key, _ in events.items()} == {ASSET, OTHER, ALIAS}
    with pytest.raises(KeyError):
        events[Asset("third")]
    of_asset = events[ASSET]
    before = runtime.pages
    assert len(of_asset) == 4
    assert runtime.pages == before
    assert (of_asset[0].id, of_asset[-1].id, len(everything)) == (1, 5, 5)
    assert [each.id for each in of_asset[1:]] == [2, 4, 5]
    assert [each.id for each in of_asset[::-2]] == [5, 2]
    assert of_asset[2:2] == []
    with pytest.raises(IndexError):
        of_asset[4]
    assert repr(of_asset) == "<4 asset events>"


def test_keys_of_accessors_are_assets() -> None:
    events = OutletEventAccessors()
    events[ALIAS].add(OTHER)

    assert list(events) == [ALIAS]
    assert events[ALIAS].key == AssetAliasUniqueKey("alias")
