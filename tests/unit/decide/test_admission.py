"""Which waiting tasks get slots (B4 B5)."""

import pytest

from tests.unit.decide.runs import candidate
from tradewind.decide.admission import Capacity, HoldReason, PoolQueue, admit, can_never_fit, free_slots
from tradewind.model.pool import Pool
from tradewind.model.task import Candidate

H = HoldReason


def capacity(parallelism: int = 100, **executors: int) -> Capacity:
    return Capacity(parallelism, executors or {"local": 100}, next(iter(executors), "local"))


def queue(pool: str, free: int | None, *names: str, **values: object) -> PoolQueue:
    """A pool whose queue holds these, in this order."""
    return PoolQueue(pool, [candidate(name, pool=pool, **values) for name in names], free)


def names(tasks: list[Candidate]) -> list[str]:
    return [task.task_id for task in tasks]


def holds(held: list[tuple[Candidate, HoldReason]]) -> dict[str, HoldReason]:
    return {task.task_id: reason for task, reason in held}


def test_the_head_of_the_queue_goes_first_until_the_pool_is_full() -> None:
    admission = admit([queue("p", 2, "a", "b", "c")], capacity())

    assert names(admission.admitted) == ["a", "b"]
    assert holds(admission.held) == {"c": H.POOL_FULL}


def test_a_pool_without_limit_takes_all() -> None:
    assert len(admit([queue("p", None, *"abcdef")], capacity()).admitted) == 6


def test_a_task_takes_as_many_slots_as_it_needs() -> None:
    heavy = PoolQueue("p", [candidate("a", pool_slots=2), candidate("b", pool_slots=2), candidate("c")], 3)

    admission = admit([heavy], capacity())

    assert names(admission.admitted) == ["a"]
    assert holds(admission.held) == {"b": H.POOL_FULL}


def test_nobody_overtakes_a_task_that_waits_for_enough_slots() -> None:
    """Strict: or the slots it needs would never come free."""
    line = PoolQueue("p", [candidate("heavy", pool_slots=3, priority_weight=9), candidate("light")], 2)

    assert admit([line], capacity()).admitted == []


def test_parallelism_ends_the_round_and_names_every_pool_that_waits() -> None:
    queues = [queue("p", 9, "a", "b", priority_weight=5), queue("q", 9, "c"), queue("r", 9, "d"), queue("s", 9)]

    admission = admit(queues, capacity(1))

    assert names(admission.admitted) == ["a"]
    assert holds(admission.held) == {"b": H.PARALLELISM, "c": H.PARALLELISM, "d": H.PARALLELISM}


def test_a_full_executor_lets_tasks_of_another_pass() -> None:
    line = PoolQueue("p", [candidate("a", executor="full"), candidate("b", executor="free"), candidate("c")], 9)

    admission = admit([line], capacity(full=0, free=1))

    assert names(admission.admitted) == ["b"]
    assert holds(admission.held) == {"a": H.EXECUTOR_FULL, "c": H.EXECUTOR_FULL}


def test_the_default_executor_is_the_one_that_nobody_named() -> None:
    admission = admit([queue("p", 9, "a", "b")], capacity(main=1, other=5))

    assert names(admission.admitted) == ["a"]


def test_an_executor_that_does_not_exist_is_a_reason_of_its_own() -> None:
    line = PoolQueue("p", [candidate("a", executor="ghost"), candidate("b")], 9)

    admission = admit([line], capacity())

    assert names(admission.admitted) == ["b"]
    assert holds(admission.held) == {"a": H.EXECUTOR_MISSING}


def test_a_task_at_its_limit_over_all_runs_lets_the_next_pass() -> None:
    line = PoolQueue(
        "p", [*(candidate("x", max_active_per_dag=2, map_index=number) for number in range(3)), candidate("y")], 9
    )
    shared = capacity()
    shared.active_by_task = {("dag", "x"): 1}

    admission = admit([line], shared)

    assert [(task.task_id, task.map_index) for task in admission.admitted] == [("x", 0), ("y", -1)]
    assert [(task.map_index, reason) for task, reason in admission.held] == [
        (1, H.MAX_ACTIVE_PER_DAG),
        (2, H.MAX_ACTIVE_PER_DAG),
    ]


def test_the_same_task_id_of_another_dag_is_another_task() -> None:
    line = PoolQueue("p", [candidate("x", dag_id=dag, max_active_per_dag=1) for dag in ("one", "two", "one")], 9)

    assert [task.dag_id for task in admit([line], capacity()).admitted] == ["one", "two"]


def test_the_most_urgent_of_all_pools_goes_first() -> None:
    queues = [
        PoolQueue("p", [candidate("a", priority_weight=5), candidate("b", priority_weight=1)], 9),
        PoolQueue("q", [candidate("c", priority_weight=3), candidate("d", priority_weight=2)], 9),
    ]

    assert names(admit(queues, capacity(3)).admitted) == ["a", "c", "d"]


def test_pools_whose_heads_are_equally_urgent_take_turns() -> None:
    queues = [queue("p", 9, "a1", "a2", "a3"), queue("q", 9, "b1", "b2", "b3")]

    assert names(admit(queues, capacity(4)).admitted) == ["a1", "b1", "a2", "b2"]


def test_a_full_pool_keeps_no_other_waiting() -> None:
    queues = [queue("p", 0, "a", priority_weight=100), queue("q", 1, "b")]

    admission = admit(queues, capacity())

    assert names(admission.admitted) == ["b"]
    assert holds(admission.held) == {"a": H.POOL_FULL}


def test_nothing_waits_nothing_goes() -> None:
    assert admit([], capacity()).admitted == []
    assert admit([queue("p", 5)], capacity()).held == []


@pytest.mark.parametrize(("slots", "occupied", "free"), [(5, 2, 3), (5, 5, 0), (3, 7, 0), (-1, 999, None), (0, 0, 0)])
def test_free_slots_are_never_fewer_than_none(slots: int, occupied: int, free: int | None) -> None:
    assert free_slots(Pool("p", slots), occupied) == free


@pytest.mark.parametrize(
    ("pool", "needs", "reason"),
    [
        (None, 1, H.POOL_MISSING),
        (Pool("p", 2), 3, H.POOL_TOO_SMALL),
        (Pool("p", 0), 1, H.POOL_TOO_SMALL),
        (Pool("p", 3), 3, None),
        (Pool("p", -1), 999, None),
    ],
)
def test_a_task_that_can_never_fit_is_known_as_such(pool: Pool | None, needs: int, reason: HoldReason | None) -> None:
    assert can_never_fit(pool, needs) is reason
