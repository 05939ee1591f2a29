"""How a run ends: the leaves decide, seen through teardowns that do not count."""

import pytest

from tests.unit.decide.runs import Play, snapshot
from tradewind.model.dag import Task
from tradewind.model.mapping import FixedLength
from tradewind.model.states import TaskRole, TaskState, TriggerRule

S = TaskState
RULE = TriggerRule.ALL_DONE


def outcome(tasks: list[Task], **ends: str) -> str | None:
    """The end of a run whose tasks ended like this."""
    play = Play(*tasks, rows=[snapshot(name, state, attempt=1) for name, state in ends.items()])
    assert play.settle() == {}
    return play.outcome


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("success", "success", "success"),
        ("failed", "success", "success"),
        ("success", "failed", "failed"),
        ("failed", "upstream_failed", "failed"),
        ("success", "skipped", "success"),
        ("failed", "skipped", "success"),
        ("success", "removed", "success"),
        ("success", "running", None),
        ("success", "up_for_retry", None),
        ("success", "deferred", None),
        ("success", "awaiting_input", None),
        ("success", "restarting", None),
        ("success", "queued", None),
        ("success", "scheduled", None),
    ],
)
def test_the_last_task_decides(a: str, b: str, expected: str | None) -> None:
    tasks = [Task("a"), Task("b", upstream=("a",), trigger_rule=RULE)]
    rows = [snapshot("a", a, attempt=1), snapshot("b", b, attempt=1, wake_at=None)]
    play = Play(*tasks, rows=rows)

    play.settle()

    assert play.outcome == (expected if b != "up_for_retry" else None)


def test_every_leaf_counts() -> None:
    tasks = [Task("a"), Task("b", upstream=("a",)), Task("c", upstream=("a",))]

    assert outcome(tasks, a="success", b="success", c="failed") == "failed"
    assert outcome(tasks, a="success", b="success", c="success") == "success"


def test_every_instance_of_a_leaf_counts() -> None:
    play = Play(
        Task("w", mapping=FixedLength(2)),
        rows=[snapshot("w[0]", S.SUCCESS, attempt=1), snapshot("w[1]", S.FAILED, attempt=1)],
    )
    play.settle()

    assert play.outcome == "failed"


def teardown(*upstream: str, fails_run: bool = False) -> Task:
    return Task("t", upstream=upstream, role=TaskRole.TEARDOWN, trigger_rule=RULE, fails_run=fails_run)


@pytest.mark.parametrize(
    ("work", "end", "fails_run", "expected"),
    [
        ("success", "failed", False, "success"),
        ("failed", "success", False, "failed"),
        ("success", "failed", True, "failed"),
        ("failed", "success", True, "success"),
    ],
)
def test_a_teardown_counts_only_if_it_says_so(work: str, end: str, fails_run: bool, expected: str) -> None:
    """A failing task in front of a teardown that counts is forgiven by it, as in Airflow: it is no leaf."""
    assert outcome([Task("w"), teardown("w", fails_run=fails_run)], w=work, t=end) == expected


def test_teardowns_alone_decide_for_themselves() -> None:
    assert outcome([teardown()], t="failed") == "failed"
    assert outcome([teardown()], t="success") == "success"


def test_a_run_without_tasks_is_a_success() -> None:
    assert outcome([]) == "success"


def test_a_run_goes_on_while_a_teardown_does() -> None:
    play = Play(
        Task("w"), teardown("w"), rows=[snapshot("w", S.FAILED, attempt=1), snapshot("t", S.RUNNING, attempt=1)]
    )
    play.settle()

    assert play.outcome is None
