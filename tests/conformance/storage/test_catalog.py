"""What people see of DAGs besides the DAGs themselves: tags, favorites, numbers of runs; and lists of DAGs."""

from tests.conformance.storage.worlds import NOW, World, minutes
from tradewind.model.dag_file import FileName, NewVersion
from tradewind.model.dag_summary import DagSummary
from tradewind.model.listing import Condition, Listed, Order, Query
from tradewind.model.listing import Test as Asked
from tradewind.model.states import RunState
from tradewind.storage.database import Database
from tradewind.storage.interface import RunEnd


def publish(store: Database, dag_id: str, *tags: str, **values: object) -> None:
    summary = DagSummary(display_name=dag_id.title(), tags=tags, **values)  # type: ignore[arg-type]
    with store.begin() as tx:
        tx.dags.create_missing({dag_id: False}, NOW)
        tx.dags.lock([dag_id])
        tx.versions.add([NewVersion(dag_id, "hash", "{}", summary=summary)], NOW)


def test_tags_are_those_of_the_newest_version(store: Database) -> None:
    publish(store, "a", "red", "blue")
    publish(store, "b")
    publish(store, "a", "red", "green")

    assert shown(store) == {"a": '["red", "green"]', "b": "[]"}
    assert shown(store, Condition("tag", Asked.IS, "green")).keys() == {"a"}
    assert shown(store, Condition("tag", Asked.IS, "blue")) == {}


def shown(store: Database, *conditions: Condition) -> dict[object, object]:
    """The tags of those DAGs."""
    with store.begin() as tx:
        return {row["dag_id"]: row["tags"] for row in tx.listings.page(Listed.DAGS, Query(conditions)).rows}


def test_what_lists_show_is_that_of_the_newest_version(store: Database) -> None:
    publish(store, "a", owners="ann", max_active_runs=3)
    publish(store, "a", owners="ann, bob", timetable_periodic=True)

    with store.begin() as tx:
        (row,) = tx.listings.page(Listed.DAGS, Query()).rows
    assert (row["dag_display_name"], row["owners"], row["max_active_runs"]) == ("A", "ann, bob", 0)
    assert row["timetable_periodic"] is True
    assert row["has_import_errors"] is False


def test_a_version_without_a_summary_leaves_what_lists_show(store: Database) -> None:
    publish(store, "a", "red", description="kept")
    with store.begin() as tx:
        tx.versions.add([NewVersion("a", "other", "{}")], NOW)
        (row,) = tx.listings.page(Listed.DAGS, Query()).rows

        assert (row["description"], row["tags"]) == ("kept", '["red"]')


def test_favorites_belong_to_a_person(store: Database) -> None:
    publish(store, "a")
    publish(store, "b")
    with store.begin() as tx:
        tx.catalog.add_favorite("ann", "a")
        tx.catalog.add_favorite("ann", "a")

        assert tx.catalog.is_favorite("ann", "a")
        assert not tx.catalog.is_favorite("bob", "a")
        assert not tx.catalog.is_favorite("ann", "b")
        assert (tx.catalog.favorites("ann"), tx.catalog.favorites("bob")) == (["a"], [])
        assert _ids(tx.listings.page(Listed.DAGS, _asking("favorite_of", Asked.IS, "ann")).rows) == ["a"]
        assert _ids(tx.listings.page(Listed.DAGS, _asking("favorite_of", Asked.IS_NOT, "ann")).rows) == ["b"]
        assert tx.catalog.remove_favorite("ann", "a")
        assert not tx.catalog.remove_favorite("ann", "a")


def test_runs_are_counted_by_dag_and_state(world: World, store: Database) -> None:
    ended = world.running("r1")
    world.run("r2", run_after=NOW - minutes(1))
    publish(store, "idle")
    with store.begin() as tx:
        tx.runs.finish([RunEnd(ended, RunState.FAILED)], NOW)

        (counts,) = tx.catalog.run_counts()
        assert (counts.dag_id, counts.by_state) == ("sales", {RunState.FAILED: 1, RunState.QUEUED: 1})
        assert tx.catalog.run_counts(["sales", "idle"]) == [counts]
        assert tx.catalog.run_counts(["idle"]) == []
        assert tx.catalog.run_counts([]) == []


def test_a_file_is_found_by_its_name(store: Database) -> None:
    name = FileName("dags", "a.py")
    with store.begin() as tx:
        tx.files.add([name])

        found = tx.files.find(name)
        assert found is not None
        assert found.name == name
        assert tx.files.find(FileName("dags", "b.py")) is None
        assert tx.files.find(FileName("other", "a.py")) is None


def test_each_tag_is_listed_once(store: Database) -> None:
    publish(store, "a", "red", "blue")
    publish(store, "b", "red")

    with store.begin() as tx:
        page = tx.listings.page(Listed.DAG_TAGS, Query(order=(Order("name", is_descending=True),)))
        of_b = tx.listings.page(Listed.DAG_TAGS, _asking("dag_id", Asked.ONE_OF, ("b",)))
    assert ([row["name"] for row in page.rows], page.total) == (["red", "blue"], 2)
    assert [row["name"] for row in of_b.rows] == ["red"]


def _asking(field: str, test: Asked, value: object) -> Query:
    return Query((Condition(field, test, value),))


def _ids(rows: object) -> list[object]:
    assert isinstance(rows, list)
    return [row["dag_id"] for row in rows]


def test_owners_and_bundles_are_told_once_each(store: Database) -> None:
    """(A8)"""
    publish(store, "a", owners="ann, bob")
    publish(store, "b", owners="bob")
    publish(store, "c", owners="")

    with store.begin() as tx:
        assert tx.catalog.choices() == (["ann", "bob"], [])
        assert tx.catalog.choices(["b", "c"]).owners == ["bob"]
        assert tx.catalog.choices([]) == ([], [])
