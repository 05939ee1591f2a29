"""Tasks that ask people, with real processes that come and go (D2, D4, B7)."""

import signal
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

from tests.acceptance.deployment import Deployment, Ended, deployed
from tradewind.model.states import TaskState
from tradewind.operations.inquire import find_inquiry

DAGS: Final = Path(__file__).with_name("asking_dags")
RUN: Final = "the_run"
OVER: Final = frozenset({"by_default", "too_late"})
"""Those that nobody answers."""


@pytest.fixture(scope="module")
def asking(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Deployment]:
    """A deployment without a triggerer: nothing needs one."""
    home = tmp_path_factory.mktemp("asking") / "home"
    url = f"sqlite:///{home.with_name('asking.db')}"
    with deployed(home, url, dags_folder=DAGS, variables={}) as made:
        made.wait_for_files(DAGS)
        yield made


@pytest.fixture(scope="module")
def ended(asking: Deployment) -> Ended:
    """A run of tasks that ask, each of them answered; while they waited, the scheduler was killed."""
    key = asking.trigger("asking", RUN)
    asking.until(
        lambda: (
            sum(state == TaskState.AWAITING_INPUT for state in asking.seen(key).states.values()) == 8
            and {asking.seen(key).states[name] for name in OVER} == {"success", "failed"}
        ),
        "the tasks to ask",
    )
    answer = partial(asking.answer, "asking", RUN)
    asking.stop("scheduler", signal.SIGKILL)
    answer("approve", "Approve")
    asking.start("scheduler")
    answer("reject", "Reject")
    answer("refuse", "Reject")
    answer("branch", "left")
    answer("fill_in", "OK", number=7, name="x")
    answer("several", "c", "a")
    answer("mapped", "yes", map_index=1)
    answer("mapped", "no", map_index=0)
    return asking.ended(key)


def test_tasks_go_on_with_what_people_answer_whoever_was_killed_meanwhile(asking: Deployment, ended: Ended) -> None:
    """D2, D4, B7: approval, branches, forms, several choices, mapped tasks, time that is over."""
    assert ended.states == {
        **dict.fromkeys(("approve", "shipped", "reject", "branch", "go_left", "fill_in", "several"), "success"),
        **dict.fromkeys(("mapped[0]", "mapped[1]", "by_default"), "success"),
        **dict.fromkeys(("never", "right"), "skipped"),
        **dict.fromkeys(("refuse", "too_late"), "failed"),
    }, ended.reasons
    assert ended.tasks["approve"].attempt == 2
    filled: Any = ended.value("fill_in")
    assert (filled["params_input"], filled["chosen_options"]) == ({"number": 7, "name": "x"}, ["OK"])
    assert filled["responded_by_user"] == {"id": "ann", "name": "Ann"}
    values: Any = {name: ended.value(name) for name in ("several", "by_default")}
    assert {name: value["chosen_options"] for name, value in values.items()} == {
        "several": ["c", "a"],
        "by_default": ["b"],
    }
    assert ended.reasons["too_late"].startswith("HITLTimeoutError")
    assert ended.reasons["refuse"].startswith("HITLRejectException")
    failures = {path.suffix: path.read_text() for path in asking.notes.glob("failure.*")}
    assert failures == {".too_late": "HITLTimeoutError", ".refuse": "HITLRejectException"}


@pytest.mark.usefixtures("ended")
def test_a_question_is_rendered_and_told_of(asking: Deployment) -> None:
    """D3, D4: what notifiers are given has a link to the question."""
    with asking.wiring.database.begin() as tx:
        _, inquiry = find_inquiry(tx, "asking", RUN, "approve")

    assert (inquiry.subject, inquiry.body) == (f"Ship {RUN}?", "It is *approve*")
    assert [user.id for user in inquiry.assigned_users] == ["ann"]
    message, link = (asking.notes / "notified").read_text().splitlines()
    assert message == "please look at approve"
    assert link == (
        f"http://here/dags/asking/runs/{RUN}/tasks/approve/required_actions?_options=%5B%27Approve%27%5D&map_index=-1"
    )
