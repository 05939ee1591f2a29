"""The limits inside one run (B4 B5)."""

import pytest

from tests.unit.decide.runs import Play, held, snapshot
from tradewind.model.dag import Retry, StartTrigger, Task
from tradewind.model.mapping import FixedLength
from tradewind.model.states import HeldBy, TaskState, WeightRule

S = TaskState


def weighted(name: str, weight: int, **values: int) -> Task:
    return Task(name, priority_weight=weight, weight_rule=WeightRule.ABSOLUTE, **values)  # type: ignore[arg-type]


def mapped(count: int, **values: int) -> tuple[Task, list[str]]:
    """A mapped task `w`, and its instances."""
    return Task("w", mapping=FixedLength(count), **values), [f"w[{index}]" for index in range(count)]  # type: ignore[arg-type]


def test_a_run_lets_through_as_many_as_max_active_tasks() -> None:
    task, rows = mapped(5)
    play = Play(task, rows=rows, max_active_tasks=2)
    play.settle()

    assert play.release() == ["w[0]", "w[1]"]
    assert play.release() == []
    assert play.cell("w[2]").held_by is HeldBy.MAX_ACTIVE_TASKS


@pytest.mark.parametrize("state", [S.QUEUED, S.RUNNING, S.RESTARTING])
def test_what_holds_slots_takes_a_place(state: TaskState) -> None:
    play = Play(Task("a"), Task("b"), rows=[snapshot("a", state, attempt=1), "b"], max_active_tasks=1)
    play.settle()

    assert play.release() == []


@pytest.mark.parametrize("state", [S.DEFERRED, S.UP_FOR_RETRY, S.UP_FOR_RESCHEDULE, S.SUCCESS, S.FAILED])
def test_what_left_its_worker_gives_its_place_back(state: TaskState) -> None:
    play = Play(Task("a"), Task("b"), max_active_tasks=1)
    play.settle()
    assert play.release() == ["a"]
    play.tell(snapshot("a", S.RUNNING, attempt=1))

    play.tell(snapshot("a", state, attempt=1, wake_at=None if state in (S.SUCCESS, S.FAILED) else object()))

    assert play.release() == ["b"]


def test_the_most_urgent_goes_first_then_the_order_of_the_dag() -> None:
    play = Play(weighted("low", 1), weighted("high", 9), weighted("also_high", 9), max_active_tasks=2)
    play.settle()

    assert play.release() == ["high", "also_high"]


def test_a_task_has_at_most_max_active_tis_per_dagrun_through() -> None:
    task, rows = mapped(4, max_active_per_run=2)
    play = Play(task, Task("other"), rows=[*rows, "other"])
    play.settle()

    assert play.release() == ["w[0]", "w[1]", "other"]
    assert play.cell("w[2]").held_by is HeldBy.MAX_ACTIVE_PER_RUN
    play.tell(snapshot("w[0]", S.SUCCESS, attempt=1))
    assert play.release() == ["w[2]"]


def test_a_task_at_its_own_limit_keeps_nobody_else_waiting() -> None:
    task = Task("w", mapping=FixedLength(3), priority_weight=9, weight_rule=WeightRule.ABSOLUTE, max_active_per_run=1)
    play = Play(task, weighted("low", 1), rows=["w[0]", "w[1]", "w[2]", "low"], max_active_tasks=2)
    play.settle()

    assert play.release() == ["w[0]", "low"]


def test_an_instance_that_is_told_of_twice_stands_in_line_once() -> None:
    """Or its second place would be used up for nothing, and those behind it would wait for ever."""
    task, rows = mapped(3, max_active_per_run=1)
    play = Play(task, rows=rows)
    play.settle()
    assert play.release() == ["w[0]"]

    play.tell(held("w[1]"), held("w[2]"))
    assert play.release() == []
    play.tell(snapshot("w[0]", S.SUCCESS, attempt=1))
    assert play.release() == ["w[1]"]
    play.tell(snapshot("w[1]", S.SUCCESS, attempt=1))

    assert play.release() == ["w[2]"]


def test_what_is_left_of_an_earlier_wait_lets_nobody_past_its_trigger() -> None:
    """E3. Found by the simulation: who was told of twice while it was in line began its next try in a worker."""
    trigger = StartTrigger("some.Trigger", "go_on")
    task = Task("a", starts_from_trigger=True, start_trigger=trigger, retry=Retry(retries=1))
    play = Play(task, max_active_tasks=1)
    play.settle()
    play.tell(held("a"), held("a"))
    assert play.release() == ["a"]

    play.tell(snapshot("a", S.UP_FOR_RETRY, attempt=2, try_number=1))

    assert play.cell("a").held_by is HeldBy.START_FROM_TRIGGER
    assert play.release() == []


def test_who_is_no_longer_in_line_is_passed_over() -> None:
    task, rows = mapped(3)
    play = Play(task, rows=rows, max_active_tasks=1)
    play.settle()
    play.release()

    play.tell(snapshot("w[1]", S.SKIPPED), snapshot("w[0]", S.SUCCESS, attempt=1))

    assert play.release() == ["w[2]"]


# --- giving way


def full_run() -> Play:
    """One place, taken by `low`, which waits for slots; `high` comes later."""
    play = Play(
        weighted("low", 1),
        weighted("high", 9),
        rows=[snapshot("low", S.SCHEDULED), held("high")],
        max_active_tasks=1,
    )
    play.settle()
    return play


def test_what_only_waits_gives_way_to_something_more_urgent() -> None:
    play = full_run()
    gate = play.progress.gate

    (yielding,) = gate.yielding()
    gate.took_back(yielding)

    assert play.name(yielding) == "low"
    assert play.release() == ["high"]
    assert play.cell("low").held_by is HeldBy.MAX_ACTIVE_TASKS
    play.tell(snapshot("high", S.SUCCESS, attempt=1))
    assert play.release() == ["low"]


def test_what_has_its_slots_already_keeps_its_place() -> None:
    play = full_run()
    gate = play.progress.gate

    (yielding,) = gate.yielding()
    gate.kept(yielding)

    assert play.cell("low").state is S.QUEUED
    assert gate.yielding() == []
    assert play.release() == []


def test_nobody_gives_way_to_something_equally_urgent_or_while_there_is_room() -> None:
    equal = Play(weighted("a", 5), weighted("b", 5), rows=[snapshot("a", S.SCHEDULED), held("b")], max_active_tasks=1)
    equal.settle()
    roomy = Play(weighted("a", 1), weighted("b", 5), rows=[snapshot("a", S.SCHEDULED), held("b")])
    roomy.settle()

    assert equal.progress.gate.yielding() == []
    assert roomy.progress.gate.yielding() == []


def test_a_task_at_its_own_limit_does_not_keep_others_from_being_given_way_to() -> None:
    busy = Task(
        "busy", mapping=FixedLength(2), priority_weight=9, weight_rule=WeightRule.ABSOLUTE, max_active_per_run=1
    )
    play = Play(
        busy,
        weighted("middle", 5),
        weighted("low", 1),
        rows=[
            snapshot("busy[0]", S.RUNNING, attempt=1),
            held("busy[1]"),
            held("middle"),
            snapshot("low", S.SCHEDULED),
        ],
        max_active_tasks=2,
    )
    play.settle()

    assert [play.name(cell) for cell in play.progress.gate.yielding()] == ["low"]
