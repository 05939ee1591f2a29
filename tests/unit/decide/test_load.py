"""How long simulated runs take when their tasks and the limits say so (B2, B4, B5)."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tradewind.decide.load import RunEnd, SlotLimits, TasksTake, Wait
from tradewind.decide.structure import Structure
from tradewind.model.dag import Dag, StartTrigger, Task
from tradewind.model.mapping import OutputLength
from tradewind.model.pool import DEFAULT_POOL, Pool
from tradewind.model.states import TriggerRule
from tradewind.model.usual_task import UsualTask

START = datetime(2026, 1, 1, tzinfo=UTC)


def minute(number: float) -> datetime:
    return START + timedelta(minutes=number)


def load(*tasks: Task, parallelism: int = 32, slots: int = 128, most: int = 1000, **dag: Any) -> TasksTake:
    """Tasks that take as many minutes as their names end with."""
    usual = {task.task_id: UsualTask(60.0 * int(task.task_id[1:]), 3) for task in tasks}
    pools = {DEFAULT_POOL: Pool(DEFAULT_POOL, slots), "narrow": Pool("narrow", 1)}
    structure = Structure(Dag("a", tasks=tasks, **dag))
    return TasksTake(structure, usual, SlotLimits(pools, parallelism), most=most)


def ends(played: TasksTake, *starts: float) -> list[float | None]:
    """In minutes, when runs end that start then."""
    found: dict[int, datetime] = {}
    for number, start in enumerate(starts):
        while ended := played.next_end(minute(start)):
            found[ended.number] = ended.at
        played.begin(number, minute(start), None)
    while ended := played.next_end(None):
        found[ended.number] = ended.at
    return [
        None if number not in found else (found[number] - START) / timedelta(minutes=1) for number in range(len(starts))
    ]


def waits(played: TasksTake, number: int = 0) -> list[tuple[str, float | None]]:
    return [
        (wait.limit, None if wait.task_time is None else wait.task_time / timedelta(minutes=1))
        for wait in played.waits_of(number)
    ]


def test_a_run_takes_as_long_as_its_longest_path() -> None:
    tasks = Task("a1"), Task("b5", upstream=("a1",)), Task("c2", upstream=("a1",)), Task("d1", upstream=("b5", "c2"))

    played = load(*tasks)

    assert ends(played, 0) == [7]
    assert played.waits_of(0) == ()


def test_runs_share_parallelism_and_the_older_one_goes_first() -> None:
    played = load(Task("a4"), Task("b4"), parallelism=2)

    assert ends(played, 0, 1) == [4, 8]
    assert waits(played, 1) == [("parallelism", 6)]


def test_a_pool_makes_its_tasks_wait_and_no_others() -> None:
    played = load(Task("a4", pool="narrow"), Task("b4", pool="narrow"), Task("c1"))

    assert ends(played, 0) == [8]
    assert waits(played) == [("pool narrow", 4)]


def test_the_more_urgent_goes_first() -> None:
    """B5: `c` holds up what comes after it, so it is more urgent than those before it in the file."""
    tasks = Task("a4"), Task("b4"), Task("c4"), Task("d4", upstream=("c4",))

    assert ends(load(*tasks, parallelism=2), 0) == [8]
    assert ends(load(*tasks, slots=2), 0) == [8]


@pytest.mark.parametrize(
    ("task", "dag", "limit"),
    [
        ({}, {"max_active_tasks": 1}, "max_active_tasks"),
        ({"max_active_per_run": 1}, {}, "max_active_tis_per_dagrun"),
        ({"max_active_per_dag": 1}, {}, "max_active_tis_per_dag"),
    ],
)
def test_limits_of_a_dag_and_of_a_task_are_named(task: dict[str, Any], dag: dict[str, Any], limit: str) -> None:
    played = load(Task("a1"), Task("b2", upstream=("a1",), mapping=OutputLength("a1"), **task), **dag)

    assert ends(played, 0) == [7]
    assert waits(played) == [(limit, 6)]


def test_a_list_that_was_never_made_has_one_element() -> None:
    structure = Structure(Dag("a", tasks=(Task("a"), Task("b", upstream=("a",), mapping=OutputLength("a")))))
    played = TasksTake(structure, {"b": UsualTask(60.0)}, SlotLimits({DEFAULT_POOL: Pool(DEFAULT_POOL, 1)}, 1))

    assert ends(played, 0) == [1]


def test_tasks_wait_for_the_run_before_where_they_have_to() -> None:
    played = load(Task("a3", depends_on_past=True), Task("b1", upstream=("a3",)))

    assert ends(played, 0, 1, 2) == [4, 7, 10]


def test_a_task_that_waits_without_a_worker_needs_no_slot() -> None:
    trigger = StartTrigger("some.Trigger", "go_on")

    assert ends(load(Task("a9", starts_from_trigger=True, start_trigger=trigger), Task("b9"), parallelism=1), 0) == [9]


def test_tasks_that_do_not_run_when_all_goes_well_take_no_time() -> None:
    alarm = Task("b9", upstream=("a1",), trigger_rule=TriggerRule.ONE_FAILED)

    assert ends(load(Task("a1"), alarm), 0) == [1]


@pytest.mark.parametrize("task", [Task("a1", pool="none"), Task("a1", pool="narrow", pool_slots=2)])
def test_what_can_never_have_its_slots_keeps_its_run_for_ever(task: Task) -> None:
    played = load(task, Task("b1"))

    assert ends(played, 0, 1) == [None, None]
    assert played.waits_of(0) == (Wait(f"pool {task.pool}", None),)


def test_tasks_that_were_not_there_yet_take_no_part() -> None:
    played = load(Task("a1"), Task("b9", start_at=minute(10)))

    played.begin(0, START, minute(5))

    assert played.next_end(None) == RunEnd(0, minute(1))


def test_a_run_without_tasks_ends_at_once() -> None:
    assert ends(load(), 3) == [3]


def test_it_wants_no_more_runs_after_so_many_instances() -> None:
    played = load(Task("a1"), Task("b1"), most=3)

    assert ends(played, 0) == [1]
    had_room = not played.is_exhausted
    played.begin(1, minute(5), None)

    assert (had_room, played.is_exhausted) == (True, True)
    assert played.next_end(None) == RunEnd(1, minute(6))


def test_it_gives_up_where_copies_become_too_many() -> None:
    played = load(Task("a1"), Task("b1", upstream=("a1",), mapping=OutputLength("a1")), most=1)

    assert ends(played, 0) == [None]


@given(st.lists(st.integers(0, 9), min_size=1, max_size=12), st.integers(1, 4), st.data())
def test_slots_are_never_idle_while_something_waits(minutes: list[int], slots: int, data: st.DataObject) -> None:
    """Tasks without arrows on so many slots: no sooner than the work allows, no later than list scheduling does."""
    tasks = [Task(f"{chr(97 + number)}{length}") for number, length in enumerate(minutes)]
    played = load(*data.draw(st.permutations(tasks)), parallelism=slots, max_active_tasks=100)

    (ended,) = ends(played, 0)

    assert ended is not None
    least = max(*minutes, sum(minutes) / slots)
    assert least <= ended <= sum(minutes) / slots + max(minutes) * (slots - 1) / slots + 1e-9
