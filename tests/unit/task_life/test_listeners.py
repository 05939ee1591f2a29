"""Listeners and metrics: who hears of a task without a word in its DAG (D4, Airflow's listener hooks)."""

import logging
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest

from tests.instants import utc
from tests.unit.task_life.attempts import attempt, one_task, raises
from tradewind.compat.adapters.listeners import ListenerManager, hookimpl
from tradewind.sdk.exceptions import AirflowRescheduleException, AirflowSkipException
from tradewind.sdk.stats import Stats, Tags
from tradewind.sdk.task_clock import use_clock
from tradewind.testing.clock import FakeClock


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


class Counted:
    """Keeps all metrics."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, Any, dict[str, Any]]] = []

    def incr(self, stat: str, count: int, rate: float, tags: Tags) -> None:
        self.seen.append((stat, count, dict(tags or {})))

    def gauge(self, stat: str, value: float, rate: float, delta: bool, tags: Tags) -> None:
        raise AssertionError(stat)

    def timing(self, stat: str, milliseconds: float, tags: Tags) -> None:
        self.seen.append((stat, milliseconds, dict(tags or {})))


@pytest.fixture
def metrics() -> Iterator[Counted]:
    """Where metrics go in this test."""
    counted = Counted()
    before = Stats.set_sink(counted)
    yield counted
    Stats.set_sink(before)


@pytest.mark.parametrize(("error", "end", "state"), [(None, "successes", "success"), (BOOM, "failures", "failed")])
def test_attempts_are_counted_and_timed(metrics: Counted, error: Exception | None, end: str, state: str) -> None:
    clock = FakeClock(utc("2026-02-01 12:00") + timedelta(seconds=3))  # it started at noon

    with use_clock(clock):
        attempt(one_task((lambda _: None) if error is None else raises(error)))

    tags = {"dag_id": "d", "task_id": "t"}
    assert metrics.seen == [
        ("ti.start", 1, tags),
        ("ti.finish", 1, {**tags, "state": state}),
        (f"operator_{end}", 1, {**tags, "operator_name": "Calls"}),
        (f"ti_{end}", 1, tags),
        ("task.duration", 3000, tags),
    ]
