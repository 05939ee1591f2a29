"""Every request about something that does not exist, or cannot be, says so by name."""

from collections.abc import Callable

import pytest

from tests.component.world import World
from tests.instants import utc
from tradewind.errors import (
    DagUnusable,
    InvalidRequest,
    NotFound,
    PoolExists,
    RunExists,
    TradewindError,
    UnknownDag,
    UnknownPool,
    UnknownRun,
    UnknownTask,
)
from tradewind.model.dag import Dag, Task
from tradewind.model.dag_check import InvalidDag
from tradewind.model.pool import Pool
from tradewind.model.states import RunState, RunType, TaskState
from tradewind.operations.delete import delete_dag, delete_run
from tradewind.operations.manage_pools import create_pool, delete_pool, update_pool
from tradewind.operations.set_note import set_run_note
from tradewind.operations.structures import Structures
from tradewind.storage.interface import Transaction

SUCCESS = TaskState.SUCCESS
NOW = utc("2026-01-01")


@pytest.fixture
def sales(world: World) -> World:
    """A DAG `sales` with the task `a` and the run `r1`."""
    world.dag(Task("a"), allowed_run_types=(RunType.MANUAL,))
    world.trigger(logical_date=world.clock.now())
    return world


@pytest.mark.parametrize(
    ("request_it", "error", "named"),
    [
        pytest.param(lambda w: w.trigger("nope"), UnknownDag, "'nope'", id="trigger"),
        pytest.param(lambda w: w.pause("nope"), UnknownDag, "'nope'", id="pause"),
        pytest.param(lambda w: w.clear(dag_id="nope"), UnknownDag, "'nope'", id="clear, DAG"),
        pytest.param(lambda w: w.clear(run_id="r9"), UnknownRun, "'r9'", id="clear, run"),
        pytest.param(lambda w: w.clear("zzz"), UnknownTask, "'zzz'", id="clear, task"),
        pytest.param(lambda w: w.clear("a", map_indexes=(7,)), UnknownTask, "map index 7", id="clear, instance"),
        pytest.param(lambda w: w.mark(SUCCESS, dag_id="nope"), UnknownDag, "'nope'", id="mark, DAG"),
        pytest.param(lambda w: w.mark(SUCCESS, run_id="r9"), UnknownRun, "'r9'", id="mark, run"),
        pytest.param(lambda w: w.mark(SUCCESS, "zzz"), UnknownTask, "'zzz'", id="mark, task"),
        pytest.param(lambda w: w.mark_run(RunState.FAILED, run_id="r9"), UnknownRun, "'r9'", id="mark run"),
        pytest.param(lambda w: w.mark_run(RunState.FAILED, "nope"), UnknownDag, "'nope'", id="mark run, DAG"),
    ],
)
def test_an_unknown_name_is_a_typed_error_that_names_it(
    sales: World, request_it: Callable[[World], object], error: type[NotFound], named: str
) -> None:
    with pytest.raises(error, match=named):
        request_it(sales)


@pytest.mark.parametrize(
    ("operation", "error", "named"),
    [
        pytest.param(lambda tx: delete_dag(tx, "nope"), UnknownDag, "'nope'", id="delete DAG"),
        pytest.param(lambda tx: delete_run(tx, "sales", "r9", Structures(), NOW), UnknownRun, "'r9'", id="delete run"),
        pytest.param(lambda tx: set_run_note(tx, "sales", "r9", "x"), UnknownRun, "'r9'", id="run note"),
        pytest.param(lambda tx: update_pool(tx, Pool("p9", 1)), UnknownPool, "'p9'", id="update pool"),
        pytest.param(lambda tx: delete_pool(tx, "p9"), UnknownPool, "'p9'", id="delete pool"),
        pytest.param(lambda tx: create_pool(tx, Pool("default_pool", 1)), PoolExists, "'default_pool'", id="pool"),
        pytest.param(lambda tx: create_pool(tx, Pool("", 1)), InvalidRequest, "name", id="pool without a name"),
        pytest.param(lambda tx: create_pool(tx, Pool("p", -2)), InvalidRequest, "'p'.*-2", id="negative slots"),
        pytest.param(lambda tx: delete_pool(tx, "default_pool"), InvalidRequest, "'default_pool'", id="default pool"),
    ],
)
def test_an_operation_that_cannot_be_done_says_why(
    sales: World, operation: Callable[[Transaction], object], error: type[TradewindError], named: str
) -> None:
    with pytest.raises(error, match=named), sales.database.begin() as tx:
        operation(tx)


def test_a_run_of_the_same_id_or_date_exists_once(sales: World) -> None:
    with pytest.raises(RunExists, match="'r1'"):
        sales.trigger()
    with pytest.raises(RunExists, match="same logical date"):
        sales.trigger(run_id="r2", logical_date=sales.clock.now())


@pytest.mark.parametrize("run_id", ["", "a/b", "..", "x" * 251, "scheduled__2026-01-01T00:00:00+00:00", "tab\there"])
def test_a_bad_run_id_is_refused(sales: World, run_id: str) -> None:
    with pytest.raises(InvalidRequest):
        sales.trigger(run_id=run_id)


def test_a_type_of_run_that_the_dag_does_not_allow_is_refused(sales: World) -> None:
    with pytest.raises(InvalidRequest, match="'sales' does not allow backfill"):
        sales.trigger(run_id="b1", run_type=RunType.BACKFILL)


def test_a_dag_that_was_never_parsed_cannot_be_triggered(world: World) -> None:
    with world.database.begin() as tx:
        tx.dags.create("empty", is_paused=False, now=world.clock.now())

    with pytest.raises(DagUnusable, match="'empty'"):
        world.trigger("empty")


def test_a_dag_that_contradicts_itself_is_not_published(world: World) -> None:
    with pytest.raises(InvalidDag, match="'ghost'"):
        world.publish(Dag("sales", tasks=(Task("a", upstream=("ghost",)),)))

    with world.database.begin() as tx:
        assert tx.dags.find("sales") is None


def test_a_refused_request_leaves_nothing_behind(sales: World) -> None:
    before = sales.states()

    with pytest.raises(UnknownTask):
        sales.clear("a", "zzz")

    assert sales.states() == before
