"""Listeners: who hears of a task without a word in its DAG (D4, Airflow's listener hooks)."""

import logging
from typing import Any

import pytest

from tests.instants import utc
from tests.unit.task_life.attempts import attempt, one_task, raises
from tradewind.compat.adapters.listeners import ListenerManager, hookimpl
from tradewind.sdk.exceptions import AirflowRescheduleException, AirflowSkipException
from tradewind.sdk.task_runner_marker import TaskRunnerMarker


class Listener:
    """Notes what it hears."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, str, str, Any]] = []

    @hookimpl
    def on_task_instance_running(self, previous_state: Any, task_instance: Any) -> None:
        self._note("running", previous_state, task_instance)

    @hookimpl
    def on_task_instance_success(self, previous_state: Any, task_instance: Any) -> None:
        self._note("success", previous_state, task_instance)

    @hookimpl
    def on_task_instance_skipped(self, previous_state: Any, task_instance: Any) -> None:
        self._note("skipped", previous_state, task_instance)

    @hookimpl
    def on_task_instance_failed(self, previous_state: Any, task_instance: Any, error: Any) -> None:
        self._note("failed", previous_state, task_instance, error)

    def _note(self, hook: str, previous: Any, ti: Any, error: Any = None) -> None:
        self.heard.append((hook, str(previous.value), f"{ti.task_id} {ti.state.value}", error))


BOOM = ValueError("boom")


@pytest.mark.parametrize(
    ("error", "has_tries_left", "hook", "state"),
    [
        (None, False, "success", "success"),
        (AirflowSkipException("not today"), False, "skipped", "skipped"),
        (BOOM, False, "failed", "failed"),
        (BOOM, True, "failed", "up_for_retry"),
    ],
)
def test_listeners_hear_of_start_and_end(error: Exception | None, has_tries_left: bool, hook: str, state: str) -> None:
    listener, manager = Listener(), ListenerManager()
    manager.add_listener(listener)
    call = (lambda _: None) if error is None else raises(error)

    attempt(one_task(call), listeners=manager, has_tries_left=has_tries_left)

    failure = BOOM if hook == "failed" else None
    assert listener.heard == [("running", "queued", "t running", None), (hook, "running", f"t {state}", failure)]


def test_a_task_that_goes_on_later_has_not_ended() -> None:
    listener, manager = Listener(), ListenerManager()
    manager.add_listener(listener)

    attempt(one_task(raises(AirflowRescheduleException(utc("2026-01-01")))), listeners=manager)

    assert [hook for hook, *_ in listener.heard] == ["running"]


def test_a_listener_that_fails_changes_nothing(caplog: pytest.LogCaptureFixture) -> None:
    class Broken:
        @hookimpl
        def on_task_instance_running(self) -> None:
            raise ValueError("broken listener")

        @hookimpl
        def on_task_instance_success(self) -> None:
            raise ValueError("broken listener")

    manager = ListenerManager()
    manager.add_listener(Broken())

    with caplog.at_level(logging.ERROR):
        done = attempt(one_task(), listeners=manager)

    assert type(done.outcome).__name__ == "Success"
    assert "A listener failed in on_task_instance_running" in caplog.text
    assert "A listener failed in on_task_instance_success" in caplog.text


class Components:
    """Notes which components start and stop."""

    def __init__(self, *, raises: bool = False) -> None:
        self.heard: list[tuple[str, bool]] = []
        self._raises = raises

    @hookimpl
    def on_starting(self, component: Any) -> None:
        self._note("starting", component)

    @hookimpl
    def before_stopping(self, component: Any) -> None:
        self._note("stopping", component)

    @hookimpl
    def on_task_instance_success(self) -> None:
        self._note("success", None)

    def _note(self, what: str, component: Any) -> None:
        self.heard.append((what, isinstance(component, TaskRunnerMarker)))
        if self._raises:
            raise ValueError("the listener is broken")


def test_listeners_hear_of_the_process_of_a_task_and_of_one_another_nothing() -> None:
    """One that raises keeps no other from hearing, whichever of them is asked first."""
    listeners = [Components(), Components(raises=True), Components()]
    manager = ListenerManager()
    for listener in listeners:
        manager.add_listener(listener)

    attempt(one_task(lambda _: None), listeners=manager)

    expected = [("starting", True), ("success", False), ("stopping", True)]
    assert [listener.heard for listener in listeners] == [expected] * 3
