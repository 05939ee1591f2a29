"""Values that a database cannot store are refused as such: neither an outage nor a mistake of ours (B7)."""

import pytest

from tests.conformance.storage.worlds import NOW, World, new_task
from tests.databases import DatabaseKind
from tradewind.errors import ValueRefused
from tradewind.model.ids import TaskKey
from tradewind.storage.database import Database
from tradewind.storage.interface.kept_stores import XComValue


def _push_under(world: World, store: Database, key: str) -> None:
    run_key = world.running("r1")
    with store.begin() as tx:
        tx.tasks.create([new_task(run_key, "load", 0)])
    with store.begin() as tx:
        tx.xcoms.put([XComValue(TaskKey(run_key, "load", 0), key, 1)], NOW)


def test_half_a_character_is_refused(world: World, store: Database) -> None:
    with pytest.raises(ValueRefused):
        _push_under(world, store, "half \ud800")


@pytest.mark.parametrize("database_kind", ["postgres", "mysql"], indirect=True)
def test_a_name_that_is_too_long_is_refused(world: World, store: Database, database_kind: DatabaseKind) -> None:
    with pytest.raises(ValueRefused, match=r"(?i)too long"):
        _push_under(world, store, "x" * 10_000)


@pytest.mark.parametrize("database_kind", ["postgres"], indirect=True)
def test_a_null_character_is_refused(world: World, store: Database, database_kind: DatabaseKind) -> None:
    with pytest.raises(ValueRefused, match="NUL"):
        _push_under(world, store, "nothing \x00")
