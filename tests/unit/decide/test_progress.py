"""What a run's tasks may do next, situation by situation (B3 D3). Random ones: tests/property/test_progress.py."""

import pytest

from tests.unit.decide.runs import LATER, Play, held, snapshot
from tradewind.decide.run_outcome import DEADLOCK
from tradewind.model.dag import Task, TaskGroup
from tradewind.model.mapping import FixedLength, OutputLength
from tradewind.model.states import HeldBy, TaskRole, TaskState, TriggerRule
from tradewind.model.task import NO_PAST, PastTask

S = TaskState
SETUP, TEARDOWN = TaskRole.SETUP, TaskRole.TEARDOWN
ALL_DONE = TriggerRule.ALL_DONE
DIAMOND = (Task("a"), Task("b", upstream=("a",)), Task("c", upstream=("a",)), Task("d", upstream=("b", "c")))


def chain(*names: str, **values: bool) -> tuple[Task, ...]:
    return tuple(
        Task(name, upstream=(before,) if before else (), **values)  # type: ignore[arg-type]
        for before, name in zip(("", *names), names, strict=False)
    )


# --- success, failure, skip


def test_tasks_without_upstream_are_scheduled_at_once() -> None:
    play = Play(*DIAMOND)

    assert play.settle() == {"a": "scheduled"}
    assert play.cell("a").try_number == 1
    assert play.outcome is None


def test_an_end_schedules_what_waited_for_it() -> None:
    play = Play(*DIAMOND)
    play.settle()

    assert play.tell(a="success") == {"b": "scheduled", "c": "scheduled"}
    assert play.tell(b="success") == {}
    assert play.tell(c="success") == {"d": "scheduled"}
    assert play.tell(d="success") == {}
    assert play.outcome == "success"


@pytest.mark.parametrize(("end", "spreads"), [("failed", "upstream_failed"), ("skipped", "skipped")])
def test_an_end_spreads_to_the_last_task_in_one_settlement(end: str, spreads: str) -> None:
    play = Play(*chain(*(f"t{number}" for number in range(2000))))
    play.settle()

    moves = play.tell(t0=end)

    assert moves == {f"t{number}": spreads for number in range(1, 2000)}
    assert play.outcome == ("failed" if end == "failed" else "success")


def test_of_a_failure_and_a_skip_known_at_once_the_failure_counts() -> None:
    play = Play(*DIAMOND)
    play.settle()
    play.tell(a="success")

    assert play.tell(c="skipped", b="failed") == {"d": "upstream_failed"}


def test_a_failure_counts_also_where_it_has_to_come_a_longer_way() -> None:
    play = Play(
        Task("skips"), Task("fails"), Task("between", upstream=("fails",)), Task("end", upstream=("skips", "between"))
    )
    play.settle()

    assert play.tell(skips="skipped", fails="failed") == {"between": "upstream_failed", "end": "upstream_failed"}
    assert play.outcome == "failed"


def test_settling_again_changes_nothing() -> None:
    play = Play(*DIAMOND)
    play.settle()

    assert play.settle() == {}
    assert play.tell(a="success") != {}
    assert play.tell(a="success") == {}


def test_a_task_that_the_dag_lost_is_ignored() -> None:
    play = Play(*DIAMOND)

    assert play.progress.apply(snapshot("ghost", S.FAILED)) is None
    assert play.settle() == {"a": "scheduled"}


def test_tasks_that_are_not_part_of_the_run_are_not_waited_for() -> None:
    play = Play(*DIAMOND, rows=["b", "d"])

    assert play.settle() == {"b": "scheduled"}
    assert play.tell(b="success") == {"d": "scheduled"}
    play.tell(d="success")
    assert play.outcome == "success"


def test_empty_tasks_cascade_in_one_settlement() -> None:
    play = Play(*chain("a", "b", "c", is_empty=True), Task("work", upstream=("c",)))

    assert play.settle() == {"a": "success", "b": "success", "c": "success", "work": "scheduled"}
    assert play.cell("b").try_number == 1


# --- retries, pokes, pauses


def test_a_retry_waits_until_it_is_due() -> None:
    play = Play(Task("a"))
    play.settle()

    assert play.tell(snapshot("a", S.UP_FOR_RETRY, attempt=1, try_number=1, wake_at=LATER)) == {}
    assert play.outcome is None
    assert play.tell(snapshot("a", S.UP_FOR_RETRY, attempt=1, try_number=1)) == {"a": "scheduled"}
    assert play.cell("a").try_number == 2


def test_a_poke_is_no_new_try() -> None:
    play = Play(Task("a"))
    play.settle()

    play.tell(snapshot("a", S.UP_FOR_RESCHEDULE, attempt=1, try_number=1))

    assert play.cell("a").try_number == 1


def test_a_paused_dag_schedules_nothing_but_lets_failures_and_skips_spread() -> None:
    play = Play(Task("a"), Task("b", upstream=("a",)), Task("c", is_empty=True))

    assert play.settle(is_paused=True) == {}
    assert play.outcome is None
    assert play.tell(a="failed", is_paused=True) == {"b": "upstream_failed"}


# --- branches


BRANCH = (Task("branch"), Task("left", upstream=("branch",)), Task("right", upstream=("branch",)))


def test_a_branch_skips_what_it_decided_against() -> None:
    play = Play(*BRANCH)
    play.settle()

    moves = play.tell(snapshot("branch", S.SUCCESS, attempt=1, skips=("right",)))

    assert moves == {"left": "scheduled", "right": "skipped"}


def test_what_a_branch_decided_against_is_skipped_again_after_a_clear() -> None:
    play = Play(*BRANCH)
    play.settle()
    play.tell(snapshot("branch", S.SUCCESS, attempt=1, skips=("right",)))

    assert play.tell(snapshot("right")) == {"right": "skipped"}


def test_a_branch_that_runs_again_decides_anew() -> None:
    play = Play(*BRANCH)
    play.settle()
    play.tell(snapshot("branch", S.SUCCESS, attempt=1, skips=("right",)))

    assert play.tell(snapshot("branch", attempt=1), snapshot("right"), snapshot("left")) == {"branch": "scheduled"}
    moves = play.tell(snapshot("branch", S.SUCCESS, attempt=2, skips=("left",)))

    assert moves == {"left": "skipped", "right": "scheduled"}


def test_a_branch_that_was_marked_failed_decides_nothing() -> None:
    play = Play(Task("branch"), Task("right", upstream=("branch",), trigger_rule=ALL_DONE))

    assert play.tell(snapshot("branch", S.FAILED, attempt=1, skips=("right",))) == {"right": "scheduled"}


def test_a_short_circuit_skips_a_whole_list_whatever_the_rules() -> None:
    play = Play(
        Task("check"),
        Task("a", upstream=("check",)),
        Task("b", upstream=("a",), trigger_rule=ALL_DONE),
        Task("c", upstream=("b",), trigger_rule=ALL_DONE),
    )
    play.settle()

    moves = play.tell(snapshot("check", S.SUCCESS, attempt=1, skips=("a", "b", "ghost")))

    assert moves == {"a": "skipped", "b": "skipped", "c": "scheduled"}


def test_a_branch_inside_a_mapped_group_decides_for_its_own_index() -> None:
    play = Play(
        Task("branch", group_id="g"),
        Task("next", upstream=("branch",), group_id="g"),
        rows=["branch[0]", "branch[1]", "next[0]", "next[1]"],
        groups=(TaskGroup("g", mapping=FixedLength(2)),),
    )
    play.settle()

    moves = play.tell(
        snapshot("branch[0]", S.SUCCESS, attempt=1, skips=("next",)), snapshot("branch[1]", S.SUCCESS, attempt=1)
    )

    assert moves == {"next[0]": "skipped", "next[1]": "scheduled"}


# --- the run before


def test_a_task_that_depends_on_the_past_asks_for_it() -> None:
    play = Play(Task("a", depends_on_past=True), Task("b"))

    assert play.settle() == {"b": "scheduled"}
    assert [play.name(cell) for cell in play.last.asks_past] == ["a"]
    assert play.progress.learn_past(play.cell("a"), NO_PAST).outcome == "run"
    assert play.settle() == {"a": "scheduled"}


def test_a_task_that_waits_for_the_past_is_no_deadlock_and_asks_again_when_told() -> None:
    play = Play(Task("a", depends_on_past=True))
    play.settle()
    play.progress.learn_past(play.cell("a"), PastTask(True, True, S.FAILED))

    assert play.settle() == {}
    assert play.outcome is None
    play.tell(snapshot("a"))
    assert [play.name(cell) for cell in play.last.asks_past] == ["a"]
    play.progress.learn_past(play.cell("a"), PastTask(True, True, S.SUCCESS))
    assert play.settle() == {"a": "scheduled"}


def test_the_past_is_asked_only_when_the_rule_is_met() -> None:
    play = Play(Task("a"), Task("b", upstream=("a",), depends_on_past=True))

    play.settle()
    assert play.last.asks_past == []
    play.tell(a="success")

    assert [play.name(cell) for cell in play.last.asks_past] == ["b"]


@pytest.mark.parametrize("waits", [False, True])
def test_a_skip_waits_for_the_past_only_if_the_task_says_so(waits: bool) -> None:
    play = Play(
        Task("a"),
        Task("b", upstream=("a",), depends_on_past=True, wait_for_past_depends_before_skipping=waits),
    )
    play.settle()

    assert play.tell(a="skipped") == ({} if waits else {"b": "skipped"})
    assert len(play.last.asks_past) == waits
    if waits:
        play.progress.learn_past(play.cell("b"), PastTask(True, True, S.SUCCESS))
        assert play.settle() == {"b": "skipped"}


def test_an_upstream_failure_does_not_wait_for_the_past() -> None:
    play = Play(Task("a"), Task("b", upstream=("a",), depends_on_past=True))
    play.settle()

    assert play.tell(a="failed") == {"b": "upstream_failed"}


# --- mapped tasks


MAPPED = (
    Task("list"),
    Task("work", upstream=("list",), mapping=OutputLength("list")),
    Task("sum", upstream=("work",)),
)


def test_a_mapped_task_gets_its_instances_when_its_length_is_known() -> None:
    play = Play(*MAPPED)
    assert play.settle() == {"list": "scheduled"}

    moves = play.tell(snapshot("list", S.SUCCESS, attempt=1, map_length=2))

    assert moves == {"work[0]": "scheduled", "work[1]": "scheduled"}
    assert play.last.expanded == [(1, 0, 2)]
    assert "work" not in play.states
    assert play.progress.size == 4
    assert play.tell(snapshot("work[0]", S.SUCCESS, attempt=1)) == {}
    assert play.tell(snapshot("work[1]", S.SUCCESS, attempt=1)) == {"sum": "scheduled"}


@pytest.mark.parametrize(
    ("state", "length", "expected"),
    [("success", 0, "skipped"), ("success", None, "upstream_failed"), ("failed", None, "upstream_failed")],
)
def test_a_mapped_task_without_a_length_never_runs(state: str, length: int | None, expected: str) -> None:
    play = Play(*MAPPED)
    play.settle()

    moves = play.tell(snapshot("list", state, attempt=1, map_length=length))

    assert moves == {"work": expected, "sum": expected}


def test_a_mapped_task_with_a_forgiving_rule_still_needs_its_source() -> None:
    play = Play(Task("list"), Task("work", upstream=("list",), mapping=OutputLength("list"), trigger_rule=ALL_DONE))
    play.settle()

    assert play.tell(list="failed") == {"work": "upstream_failed"}


def test_a_mapped_task_waits_for_its_rule_before_it_gets_instances() -> None:
    play = Play(Task("list"), Task("other"), Task("work", upstream=("list", "other"), mapping=OutputLength("list")))
    play.settle()

    assert play.tell(snapshot("list", S.SUCCESS, attempt=1, map_length=2)) == {}
    assert play.tell(other="failed") == {"work": "upstream_failed"}


def test_a_mapping_grows_and_shrinks_with_its_source() -> None:
    play = Play(*MAPPED)
    play.settle()
    play.tell(snapshot("list", S.SUCCESS, attempt=1, map_length=2))

    play.tell(snapshot("list", attempt=1), *(snapshot(f"work[{index}]", attempt=1) for index in range(2)))
    moves = play.tell(snapshot("list", S.SUCCESS, attempt=2, map_length=3))
    assert moves == {f"work[{index}]": "scheduled" for index in range(3)}
    assert play.last.expanded == [(1, 2, 3)]

    play.tell(snapshot("list", attempt=2), *(snapshot(f"work[{index}]", attempt=2) for index in range(3)))
    moves = play.tell(snapshot("list", S.SUCCESS, attempt=3, map_length=1))
    assert moves == {"work[0]": "scheduled", "work[1]": "removed", "work[2]": "removed"}
    assert play.tell(snapshot("work[0]", S.SUCCESS, attempt=3)) == {"sum": "scheduled"}


def test_an_instance_that_was_running_when_the_mapping_shrank_is_not_tried_again() -> None:
    """The same as after a fresh load, which would not give it a try either."""
    play = Play(*MAPPED)
    play.settle()
    play.tell(snapshot("list", S.SUCCESS, attempt=1, map_length=2))
    play.tell(snapshot("work[1]", S.RUNNING, attempt=1), snapshot("work[0]"), snapshot("list", attempt=1))
    play.tell(snapshot("list", S.SUCCESS, attempt=2, map_length=1))

    assert play.tell(snapshot("work[1]", S.UP_FOR_RETRY, attempt=1)) == {"work[1]": "removed"}


def test_removed_instances_come_back_when_the_mapping_grows_again() -> None:
    play = Play(
        *MAPPED,
        rows=[
            snapshot("list", S.SUCCESS, map_length=2),
            snapshot("work[0]"),
            snapshot("work[1]", S.REMOVED),
            snapshot("sum"),
        ],
    )

    assert play.settle() == {"work[0]": "scheduled", "work[1]": "scheduled"}
    assert play.last.moves[1, 1].from_state is S.REMOVED


def test_a_mapping_over_a_mapped_task_has_the_length_of_what_succeeded() -> None:
    play = Play(
        Task("first", mapping=FixedLength(4)),
        Task("second", upstream=("first",), mapping=OutputLength("first"), trigger_rule=ALL_DONE),
        rows=[*(f"first[{index}]" for index in range(4)), "second"],
    )
    play.settle()

    ends = (S.SUCCESS, S.SKIPPED, S.FAILED, S.SUCCESS)
    moves = play.tell(*(snapshot(f"first[{index}]", end, attempt=1) for index, end in enumerate(ends)))

    assert moves == {"second[0]": "scheduled", "second[1]": "scheduled"}


def test_a_mapping_over_a_mapped_task_that_was_skipped_outright_is_skipped() -> None:
    play = Play(
        Task("list"),
        Task("first", upstream=("list",), mapping=OutputLength("list")),
        Task("second", upstream=("first",), mapping=OutputLength("first"), trigger_rule=ALL_DONE),
    )
    play.settle()

    assert play.tell(list="failed") == {"first": "upstream_failed", "second": "upstream_failed"}


# --- mapped groups


GROUP = (
    Task("list"),
    Task("a", upstream=("list",), group_id="g"),
    Task("b", upstream=("a",), group_id="g"),
    Task("end", upstream=("b",)),
)
GROUPS = (TaskGroup("g", mapping=OutputLength("list")),)


def test_the_tasks_of_a_mapped_group_get_their_instances_together() -> None:
    play = Play(*GROUP, groups=GROUPS)
    play.settle()

    moves = play.tell(snapshot("list", S.SUCCESS, attempt=1, map_length=2))

    assert moves == {"a[0]": "scheduled", "a[1]": "scheduled"}
    assert play.states["b[0]"] == play.states["b[1]"] == "none"


def test_the_tasks_of_a_mapped_group_go_depth_first() -> None:
    play = Play(*GROUP, groups=GROUPS)
    play.settle()
    play.tell(snapshot("list", S.SUCCESS, attempt=1, map_length=2))

    assert play.tell(snapshot("a[1]", S.SUCCESS, attempt=1)) == {"b[1]": "scheduled"}
    assert play.tell(snapshot("b[1]", S.SUCCESS, attempt=1)) == {}
    assert play.tell(snapshot("a[0]", S.FAILED, attempt=1)) == {"b[0]": "upstream_failed", "end": "upstream_failed"}
    assert play.outcome == "failed"


def test_a_mapped_group_that_grows_waits_at_the_new_index_too() -> None:
    play = Play(
        *GROUP,
        groups=GROUPS,
        rows=[snapshot("list", S.SUCCESS, map_length=2), "a[0]", "b[0]", "end"],
    )

    assert play.settle() == {"a[0]": "scheduled", "a[1]": "scheduled"}
    assert play.states["b[1]"] == "none"


def test_a_task_of_a_group_whose_upstream_never_got_instances_sees_how_that_ended() -> None:
    play = Play(
        *GROUP,
        groups=GROUPS,
        rows=[snapshot("list", S.SUCCESS, map_length=2), snapshot("a", S.UPSTREAM_FAILED), "b", "end"],
    )

    assert play.settle() == {"b[0]": "upstream_failed", "b[1]": "upstream_failed", "end": "upstream_failed"}


def test_a_mapped_group_without_elements_is_skipped() -> None:
    play = Play(*GROUP, groups=GROUPS)
    play.settle()

    moves = play.tell(snapshot("list", S.SUCCESS, attempt=1, map_length=0))

    assert moves == {"a": "skipped", "b": "skipped", "end": "skipped"}


# --- setups and teardowns


def test_what_is_in_the_scope_of_a_setup_needs_it_whatever_its_rule() -> None:
    play = Play(
        Task("setup", role=SETUP),
        Task("work", upstream=("setup",)),
        Task("more", upstream=("work",), trigger_rule=ALL_DONE),
        Task("teardown", upstream=("setup", "more"), role=TEARDOWN, trigger_rule=TriggerRule.ALL_DONE_SETUP_SUCCESS),
        Task("after", upstream=("teardown",), trigger_rule=ALL_DONE),
    )
    play.settle()

    assert play.tell(setup="failed") == {
        "work": "upstream_failed",
        "more": "upstream_failed",
        "teardown": "upstream_failed",
        "after": "scheduled",
    }


def test_a_setup_that_is_skipped_skips_its_scope() -> None:
    play = Play(
        Task("setup", role=SETUP),
        Task("work", upstream=("setup",)),
        Task("more", upstream=("work",), trigger_rule=ALL_DONE),
    )
    play.settle()

    assert play.tell(setup="skipped") == {"work": "skipped", "more": "skipped"}


def test_a_teardown_runs_after_a_failure_in_its_scope() -> None:
    play = Play(
        Task("setup", role=SETUP),
        Task("work", upstream=("setup",)),
        Task("teardown", upstream=("setup", "work"), role=TEARDOWN, trigger_rule=TriggerRule.ALL_DONE_SETUP_SUCCESS),
    )
    play.settle()
    play.tell(setup="success")

    assert play.tell(work="failed") == {"teardown": "scheduled"}
    play.tell(teardown="success")
    assert play.outcome == "failed"


def test_a_setup_inside_a_mapped_group_concerns_its_own_index() -> None:
    play = Play(
        Task("setup", group_id="g", role=SETUP),
        Task("work", upstream=("setup",), group_id="g"),
        Task("more", upstream=("work",), group_id="g"),
        rows=[f"{name}[{index}]" for name in ("setup", "work", "more") for index in range(2)],
        groups=(TaskGroup("g", mapping=FixedLength(2)),),
    )
    play.settle()
    play.tell(snapshot("setup[0]", S.SUCCESS, attempt=1))

    assert play.tell(snapshot("work[0]", S.SUCCESS, attempt=1)) == {"more[0]": "scheduled"}
    assert play.tell(snapshot("setup[1]", S.FAILED, attempt=1)) == {
        "work[1]": "upstream_failed",
        "more[1]": "upstream_failed",
    }


# --- fail_fast, deadlock


def test_fail_fast_asks_for_a_stop_before_anything_else_is_decided() -> None:
    play = Play(*MAPPED, Task("bad"), fail_fast=True)
    play.settle()

    assert play.tell(snapshot("list", S.SUCCESS, attempt=1, map_length=2), bad="failed") == {}
    assert play.last.stops_remaining
    assert play.last.expanded == []
    for name in ("work", "sum"):
        play.progress.apply(snapshot(name, S.SKIPPED))
    play.progress.stopped()
    play.settle()
    assert play.outcome == "failed"


def test_fail_fast_does_not_mind_a_teardown_that_fails() -> None:
    play = Play(Task("a"), Task("t", role=TEARDOWN, trigger_rule=TriggerRule.ALL_DONE_SETUP_SUCCESS), fail_fast=True)
    play.settle()

    play.tell(t="failed")

    assert not play.last.stops_remaining


def test_fail_fast_has_nothing_to_stop_when_all_is_over() -> None:
    play = Play(Task("a"), fail_fast=True)
    play.settle()

    play.tell(a="failed")

    assert (play.last.stops_remaining, play.outcome) == (False, "failed")


def test_a_run_in_which_nothing_can_ever_run_is_a_deadlock() -> None:
    play = Play(*chain("a", "b"), rows=["b"])
    play.progress.counts_for(play.cell("b")).total += 1  # as if it waited for a row that somebody deleted by hand

    play.settle()

    assert play.last.outcome == DEADLOCK


def test_a_run_that_waits_for_a_trigger_is_no_deadlock() -> None:
    play = Play(*chain("a", "b"), rows=[snapshot("a", S.DEFERRED), "b"])

    play.settle()

    assert play.outcome is None


# --- limits


def test_what_is_held_is_let_through_when_there_is_room() -> None:
    play = Play(Task("a"), Task("b"), max_active_tasks=1, rows=[snapshot("a", S.RUNNING, attempt=1), held("b")])
    play.settle()
    assert play.release() == []

    play.tell(a="success")

    assert play.release() == ["b"]
    assert play.cell("b").held_by is None


def test_what_a_pause_holds_is_not_let_through() -> None:
    play = Play(Task("a"), rows=[held("a", HeldBy.DAG_PAUSED)])
    play.settle()

    assert play.release() == []
