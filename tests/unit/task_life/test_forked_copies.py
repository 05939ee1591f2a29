"""A task that forks: the copy is nobody's task (E1)."""

import os
import sys
from collections.abc import Callable
from typing import Any

import pytest

from tests.unit.task_life.attempts import attempt, one_task
from tradewind.model.task import Succeeded

TESTS_OWN = os.getpid()


def forks(then: Callable[[], Any], codes: list[int]) -> Callable[[Any], str]:
    """A task of which a copy does that, while the process itself waits for the copy and returns."""

    def call(_: Any) -> str:
        pid = os.fork()
        if pid == 0:
            then()
            return "of the copy"
        codes.append(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
        return "of the task"

    return call


def fails() -> None:
    raise ValueError("in the copy")


@pytest.mark.parametrize(
    ("then", "code"),
    [
        (lambda: None, 0),
        (fails, 1),
        (lambda: sys.exit(0), 0),
        (lambda: sys.exit(7), 7),
        (sys.exit, 0),
        (lambda: sys.exit("why"), 1),
    ],
)
def test_a_copy_that_comes_out_of_the_tasks_code_ends_and_reports_nothing(
    then: Callable[[], Any], code: int, capfd: pytest.CaptureFixture[str]
) -> None:
    codes: list[int] = []

    done = attempt(one_task(forks(then, codes)))

    if os.getpid() != TESTS_OWN:
        os._exit(99)  # or the copy would go on with the tests
    assert isinstance(done.report, Succeeded)
    assert (codes, done.xcoms) == ([code], {"return_value": "of the task"})
    assert ("in the copy" in capfd.readouterr().err) == (then is fails)
