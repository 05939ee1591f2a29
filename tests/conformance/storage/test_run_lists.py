"""Lists of runs and XComs read what belongs to what was asked for, and nothing of other DAGs (B9)."""

import pytest

from tests.conformance.storage.test_query_plans import _plans
from tests.conformance.storage.worlds import NOW, World, minutes
from tests.databases import DatabaseKind
from tradewind.model.listing import Condition, Listed, Order, Query
from tradewind.model.listing import Test as Asked
from tradewind.storage.database import Database

_DAG = Condition("dag_id", Asked.IS, "sales")
_RUN = Condition("run_id", Asked.IS, "r1")
_OF_DAG = ("ix_dag_run_order", "uq_dag_run_dag_id")
"""Indexes that begin with the DAG."""
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
