"""Lineage: which data hooks read and wrote."""

import logging
from collections.abc import Iterator
from typing import Any

import pytest

from tradewind.sdk import lineage
from tradewind.sdk.assets import Asset
from tradewind.sdk.lineage import (
    HookLineageCollector,
    HookLineageReader,
    NoOpCollector,
    get_hook_lineage_collector,
    register_lineage_reader,
    reset_lineage,
)
from tradewind.sdk.provider_registry import register_provider_info


def table_asset(*, table: str, extra: dict[str, Any] | None = None) -> Asset:
    """What a provider makes of the parts of a URI."""
    if table == "broken":
        raise ValueError("no such table")
    return Asset(uri=f"tables://db/{table}", extra=extra)


register_provider_info({"asset-uris": [{"schemes": ["tables"], "handler": None, "factory": f"{__name__}.table_asset"}]})


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    """Nobody reads, nothing is collected."""
    reset_lineage()
    yield
    lineage._process.readers.clear()
    reset_lineage()


def test_nothing_is_collected_while_nobody_reads() -> None:
    collector = get_hook_lineage_collector()

    collector.add_input_asset(object(), uri="s3://bucket/key")
    collector.add_output_asset(object(), uri="s3://bucket/key")
    collector.add_extra(object(), "k", "v")

    assert isinstance(collector, NoOpCollector)
    assert not collector.has_collected
    assert collector.collected_assets == lineage.HookLineage()


def test_assets_are_counted_by_asset_and_by_who_said_it() -> None:
    register_lineage_reader(HookLineageReader)
    collector, hook, other = get_hook_lineage_collector(), object(), object()

    for who in (hook, hook, other):
        collector.add_input_asset(who, uri="s3://bucket/key")
    collector.add_input_asset(hook, uri="s3://bucket/key", asset_extra={"version": 2})
    collector.add_output_asset(hook, name="named", group="g")
    collector.add_extra(hook, "sql", "select 1")
    collector.add_extra(hook, "sql", "select 1")
    collector.add_extra(hook, "empty", "")

    found = HookLineageReader().retrieve_hook_lineage()
    assert [(entry.count, entry.context is hook) for entry in found.inputs] == [(2, True), (1, False), (1, True)]
    assert [(entry.asset.name, entry.asset.group) for entry in found.outputs] == [("named", "g")]
    assert [(entry.key, entry.value, entry.count) for entry in found.extra] == [("sql", "select 1", 2)]
    assert collector.has_collected


def test_reader_that_comes_late_makes_collecting_begin() -> None:
    assert isinstance(get_hook_lineage_collector(), NoOpCollector)

    register_lineage_reader(HookLineageReader)

    assert not isinstance(get_hook_lineage_collector(), NoOpCollector)
    assert get_hook_lineage_collector() is get_hook_lineage_collector()


def test_provider_makes_assets_of_parts() -> None:
    collector = HookLineageCollector()

    collector.add_input_asset(self, scheme="tables", asset_kwargs={"table": "t"}, asset_extra={"a": 1})
    collector.add_input_asset(self, scheme="tables", asset_kwargs={"table": "broken"})
    collector.add_input_asset(self, scheme="unheard", asset_kwargs={})
    collector.add_input_asset(self)

    (entry,) = collector.collected_assets.inputs
    assert (entry.asset.uri, entry.asset.extra) == ("tables://db/t", {"a": 1})


def test_collection_has_a_limit(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    monkeypatch.setenv("TRADEWIND__LINEAGE__MAX_ASSETS_PER_COLLECTOR", "2")
    monkeypatch.setenv("TRADEWIND__LINEAGE__MAX_EXTRAS_PER_COLLECTOR", "1")
    collector = HookLineageCollector()

    with caplog.at_level(logging.WARNING):
        for index in range(5):
            collector.add_input_asset(self, uri=f"s3://bucket/{index}")
            collector.add_extra(self, "k", index + 1)

    assert len(collector.collected_assets.inputs) == 2
    assert len(collector.collected_assets.extra) == 1
    assert "Only the first 2 inputs are collected" in caplog.text


self = object()
