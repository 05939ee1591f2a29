"""Lists of runs and XComs read what belongs to what was asked for, and nothing of other DAGs (B9)."""

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from operator import ge, gt, le, lt
from typing import Any

import pytest
import sqlalchemy as sa

from tests.conformance.storage.test_query_plans import _plans
from tests.conformance.storage.worlds import NOW, World, minutes
from tests.databases import DatabaseKind
from tradewind.model.ids import RunKey
from tradewind.model.listing import Condition, Listed, Order, Query
from tradewind.model.listing import Test as Asked
from tradewind.model.states import TaskState
from tradewind.storage.database import Database
from tradewind.storage.schema import dag_run

_DAG = Condition("dag_id", Asked.IS, "sales")
_RUN = Condition("run_id", Asked.IS, "r1")
_OF_DAG = ("ix_dag_run_order", "uq_dag_run_dag_id")
"""Indexes that begin with the DAG."""
_COMPARED: dict[Asked, Callable[[float, float], bool]] = {
    Asked.AT_LEAST: ge,
    Asked.ABOVE: gt,
    Asked.AT_MOST: le,
    Asked.BELOW: lt,
}
QUERIES = {
    "runs of a DAG, the newest first": (
        Listed.DAG_RUNS,
        Query((_DAG,), (Order("run_after", is_descending=True),), 50),
    ),
    "one run": (Listed.DAG_RUNS, Query((_DAG, _RUN), is_counted=False)),
    "XComs of a task": (
        Listed.XCOMS,
        Query((_DAG, _RUN, Condition("task_id", Asked.IS, "a")), (Order("key"),), 50),
    ),
}


@pytest.mark.parametrize("name", QUERIES)
def test_a_list_is_read_from_an_index(world: World, store: Database, database_kind: DatabaseKind, name: str) -> None:
    for number in range(20):
        world.run(f"r{number}", run_after=NOW + minutes(number))
    what, query = QUERIES[name]

    plans = _plans(store, lambda tx: tx.listings.page(what, query))

    for plan in plans:
        if database_kind == "sqlite":
            assert "SCAN dag_run" not in plan
            assert "SCAN xcom" not in plan
        elif database_kind == "postgres":
            assert any(index in plan for index in _OF_DAG), plan
        else:
            # A row that is named by its whole key MySQL looks for before it plans.
            assert any(index in plan for index in _OF_DAG) or plan.startswith("None by one of None"), plan


def test_tasks_are_found_by_when_they_last_changed(world: World, store: Database) -> None:
    """A8: whichever change was the last; one that nothing happened to yet was never changed."""
    run = world.running()
    world.task(TaskState.NONE, run, "untouched")
    world.task(TaskState.SCHEDULED, run, "early", at=NOW - minutes(1))
    world.task(TaskState.QUEUED, run, "late", at=NOW + minutes(1))
    world.task(TaskState.SUCCESS, run, "now", at=NOW)

    found = {test: _changed(store, test) for test in (Asked.AT_LEAST, Asked.ABOVE, Asked.AT_MOST, Asked.BELOW)}

    assert found == {
        Asked.AT_LEAST: {"late", "now"},
        Asked.ABOVE: {"late"},
        Asked.AT_MOST: {"early", "now"},
        Asked.BELOW: {"early"},
    }


@pytest.mark.parametrize("is_descending", [False, True])
def test_tasks_are_sorted_by_when_they_last_changed(world: World, store: Database, is_descending: bool) -> None:
    """A8: page by page; those that nothing happened to yet are the last either way."""
    run = world.running()
    world.task(TaskState.NONE, run, "untouched")
    world.task(TaskState.QUEUED, run, "late", at=NOW + minutes(1))
    world.task(TaskState.SUCCESS, run, "now", at=NOW)
    world.task(TaskState.SCHEDULED, run, "early", at=NOW - minutes(1))

    found = _turned_over(store, Query(order=(Order("updated_at", is_descending),), limit=2))

    changed = ["early", "now", "late"]
    assert [task_id for _, task_id, _ in found] == [*(changed[::-1] if is_descending else changed), "untouched"]


@pytest.mark.parametrize("what", [Listed.TASK_INSTANCES, Listed.DAG_RUNS])
def test_rows_that_a_search_passes_by_are_not_kept(
    world: World, store: Database, database_kind: DatabaseKind, what: Listed
) -> None:
    """A8: SQLite compares each with the last of the page first. If it had to keep what it finds, it would not."""
    if database_kind != "sqlite":
        pytest.skip("how SQLite searches")
    world.running()

    rows, *_ = _plans(store, lambda tx: tx.listings.page(what, Query((_DAG,), (Order("state"),), 50)))

    assert "CO-ROUTINE found" in rows
    assert "MATERIALIZE" not in rows


def test_runs_are_found_by_how_long_they_took(world: World, store: Database) -> None:
    """A8: as the seconds themselves compare, with a bound of whatever size; what is not over took no time yet."""
    world.running("still")
    seconds = {"quick": 1.999, "even": 2.0, "slow": 2.001}
    for name, took in seconds.items():
        _took(store, world.running(name), took)

    for bound in (2.0, 2.001, 1.9996, 2.0004, 0.0, -1.0, 1e300, -1e300):
        found = {test: _lasting(store, test, bound) for test in _COMPARED}
        assert found == {
            test: {name for name, took in seconds.items() if compared(took, bound)}
            for test, compared in _COMPARED.items()
        }, bound


def _took(store: Database, run_key: RunKey, seconds: float) -> None:
    times = {"started_at": NOW, "finished_at": NOW + timedelta(seconds=seconds)}
    with store.engine.begin() as connection:
        connection.execute(sa.update(dag_run).where(dag_run.c.run_key == run_key).values(times))


def _lasting(store: Database, test: Asked, bound: float) -> set[object]:
    query = Query((Condition("duration", test, bound),), limit=2)
    page = store.read(lambda tx: tx.listings.page(Listed.DAG_RUNS, query))
    everything = store.read(lambda tx: tx.listings.page(Listed.DAG_RUNS, replace(query, limit=None)))
    assert page.total == len(everything.rows)
    return {row["dag_run_id"] for row in everything.rows}


@pytest.mark.parametrize(("pattern", "found"), [("AB", {"xab", "Xab"}), ("É", {"É", "é"}), ("x_b", {"xab", "Xab"})])
def test_texts_are_found_whatever_their_case(
    world: World, store: Database, database_kind: DatabaseKind, pattern: str, found: set[str]
) -> None:
    """A8: letters with accents as well, where the database knows them."""
    run = world.running()
    for name in ("xab", "Xab", "É", "é"):
        world.task(TaskState.NONE, run, f"task_{name}", display_name=name)
    query = Query((Condition("task_display_name", Asked.MATCHES, pattern),), limit=2)

    page = store.read(lambda tx: tx.listings.page(Listed.TASK_INSTANCES, query))

    shown = {row["task_display_name"] for row in page.rows}
    assert shown == ({pattern} if database_kind == "sqlite" and not pattern.isascii() else found)


def _changed(store: Database, test: Asked) -> set[object]:
    query = Query((Condition("updated_at", test, NOW),), limit=2)
    page = store.read(lambda tx: tx.listings.page(Listed.TASK_INSTANCES, query))
    assert page.total == len(page.rows)
    return {row["task_id"] for row in page.rows}


@pytest.mark.parametrize("is_descending", [False, True])
@pytest.mark.parametrize("conditions", [(), (_DAG,), (Condition("stored_state", Asked.IS, "none"),)])
def test_pages_by_map_index_are_the_whole_list_cut_up(
    world: World, store: Database, conditions: tuple[Condition, ...], is_descending: bool
) -> None:
    """A8: SQLite looks for what is mapped and what is not apart from each other."""
    for run in (world.running("r1"), world.running("r2")):
        for task_id, map_index in (("b", -1), ("a", -1), ("c", 0), ("d", 1), ("c", 1), ("c", 2), ("e", -1)):
            world.task(TaskState.SCHEDULED if map_index == 2 else TaskState.NONE, run, task_id, map_index=map_index)
    order = (Order("map_index", is_descending),)
    expected = sorted(_keys(store, Query(conditions)), key=lambda key: (key[2], *key), reverse=is_descending)

    for size in (1, 3, 5, len(expected)):
        starts = range(0, len(expected) + 1, size)
        by_offset = [_keys(store, Query(conditions, order, size, start)) for start in starts]
        assert [key for page in by_offset for key in page] == expected
        assert _turned_over(store, Query(conditions, order, size)) == expected


def _keys(store: Database, query: Query) -> list[tuple[Any, ...]]:
    page = store.read(lambda tx: tx.listings.page(Listed.TASK_INSTANCES, query))
    return [(row["run_key"], row["task_id"], row["map_index"]) for row in page.rows]


def _turned_over(store: Database, query: Query) -> list[tuple[Any, ...]]:
    """All rows, page by page from the first to the last, and each the same when one turns back to it."""
    found: list[tuple[Any, ...]] = []
    before: list[tuple[Any, ...]] = []
    while True:
        asked = query
        page = store.read(lambda tx, asked=asked: tx.listings.page(Listed.TASK_INSTANCES, asked))  # type: ignore[misc]
        rows = [(row["run_key"], row["task_id"], row["map_index"]) for row in page.rows]
        if page.first is not None:
            assert _keys(store, replace(query, after=None, before=page.first)) == before
        found, before = [*found, *rows], rows
        if page.last is None:
            return found
        query = replace(query, after=page.last)
