"""How sensors wait: modes, timeouts, failures, backoff (D2)."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest

from tests.instants import utc
from tests.unit.standard.running import context_of
from tradewind.sdk import DAG, BaseSensorOperator, Context, PokeReturnValue
from tradewind.sdk.exceptions import (
    AirflowFailException,
    AirflowRescheduleException,
    AirflowSensorTimeout,
    AirflowSkipException,
)
from tradewind.sdk.sensor import poke_mode_only
from tradewind.testing.clock import FakeClock

Answer = bool | PokeReturnValue | Exception


class Answers(BaseSensorOperator):
    """Looks as often as it has answers; exceptions among them are raised."""

    def __init__(self, *, answers: Callable[[], Iterator[Answer]], **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.answers = answers()

    def poke(self, context: Context) -> bool | PokeReturnValue:
        answer = next(self.answers)
        if isinstance(answer, Exception):
            raise answer
        return answer


def sensor(*answers: Answer, **kwargs: Any) -> Answers:
    """A sensor with these answers; the last one is given for ever."""

    def all_of_them() -> Iterator[Answer]:
        yield from answers
        while True:
            yield answers[-1]

    with DAG("waiting"):
        return Answers(task_id="wait", answers=all_of_them, **kwargs)


def test_a_sensor_looks_at_its_interval_until_it_is_done(clock: FakeClock) -> None:
    task = sensor(False, False, True, poke_interval=30)

    assert task.execute(context_of(task)) is None
    assert clock.slept_s == [30, 30]


def test_a_sensor_can_end_with_a_value(clock: FakeClock) -> None:
    task = sensor(PokeReturnValue(False, "not yet"), PokeReturnValue(True, {"file": "a"}))

    assert task.execute(context_of(task)) == {"file": "a"}


def test_a_sensor_that_waited_too_long_fails_for_good(clock: FakeClock) -> None:
    task = sensor(False, poke_interval=60, timeout=150)

    with pytest.raises(AirflowSensorTimeout, match=r"waited 180\.0 s, longer than its timeout of 150\.0 s"):
        task.execute(context_of(task))


def test_a_sensor_that_may_fail_softly_is_skipped_after_its_timeout(clock: FakeClock) -> None:
    task = sensor(False, poke_interval=60, timeout=timedelta(seconds=50), soft_fail=True)

    with pytest.raises(AirflowSkipException):
        task.execute(context_of(task))


def test_a_rescheduling_sensor_frees_its_worker_until_the_next_look(clock: FakeClock) -> None:
    task = sensor(False, mode="reschedule", poke_interval=120)

    with pytest.raises(AirflowRescheduleException) as later:
        task.execute(context_of(task))

    assert later.value.reschedule_date == utc("2026-03-02 12:02")
    assert clock.slept_s == []


def test_the_timeout_counts_from_the_first_look_over_all_reschedules(clock: FakeClock) -> None:
    task = sensor(False, mode="reschedule", poke_interval=60, timeout=3600)
    context = context_of(task)

    context["ti"].first_reschedule_date = utc("2026-03-02 11:30")
    with pytest.raises(AirflowRescheduleException):
        task.execute(context)

    context["ti"].first_reschedule_date = utc("2026-03-02 10:59:59")
    with pytest.raises(AirflowSensorTimeout):
        task.execute(context)


@pytest.mark.parametrize(
    ("failure", "options", "outcome"),
    [
        (ValueError("no"), {}, ValueError),
        (ValueError("no"), {"soft_fail": True}, ValueError),
        (ValueError("no"), {"never_fail": True}, AirflowSkipException),
        (AirflowFailException("no"), {}, AirflowFailException),
        (AirflowFailException("no"), {"silent_fail": True}, AirflowFailException),
        (AirflowFailException("no"), {"soft_fail": True}, AirflowSkipException),
        (AirflowFailException("no"), {"never_fail": True}, AirflowSkipException),
        (AirflowSensorTimeout("no"), {"soft_fail": True}, AirflowSkipException),
        (AirflowSkipException("no"), {"never_fail": True}, AirflowSkipException),
    ],
)
def test_an_error_in_a_look_ends_as_the_options_say(
    clock: FakeClock, failure: Exception, options: dict[str, bool], outcome: type[Exception]
) -> None:
    task = sensor(failure, **options)

    with pytest.raises(outcome):
        task.execute(context_of(task))


def test_a_sensor_that_fails_silently_looks_again(clock: FakeClock, caplog: pytest.LogCaptureFixture) -> None:
    task = sensor(ValueError("not reachable"), True, silent_fail=True)

    task.execute(context_of(task))

    assert "not reachable" in caplog.text


def test_waits_grow_with_jitter_that_can_be_repeated(clock: FakeClock) -> None:
    waits = []
    for _ in range(2):
        task = sensor(*[False] * 6, True, poke_interval=60, exponential_backoff=True)
        task.execute(context_of(task))
        waits.append(clock.slept_s[-6:])

    assert waits[0] == waits[1]
    for number, wait in enumerate(waits[0], start=1):
        shortest = 60 * 2 ** (number - 2)
        assert shortest <= wait < 2 * shortest
    assert waits[0] != [60 * 2 ** (number - 2) for number in range(1, 7)]


def test_growing_waits_stop_at_the_longest_one_and_at_the_timeout(clock: FakeClock) -> None:
    capped = sensor(*[False] * 8, True, poke_interval=60, exponential_backoff=True, max_wait=timedelta(minutes=3))
    capped.execute(context_of(capped))
    assert max(clock.slept_s) == 180

    impatient = sensor(False, poke_interval=600, timeout=900, exponential_backoff=True)
    with pytest.raises(AirflowSensorTimeout):
        impatient.execute(context_of(impatient))
    assert sum(clock.slept_s[8:]) <= 902


def test_growing_waits_go_on_growing_over_reschedules(clock: FakeClock) -> None:
    task = sensor(False, mode="reschedule", poke_interval=60, exponential_backoff=True)
    context = context_of(task)
    waits = []
    for _ in range(6):
        with pytest.raises(AirflowRescheduleException) as later:
            task.execute(context)
        context["ti"].first_reschedule_date = context["ti"].first_reschedule_date or clock.now()
        wait = (later.value.reschedule_date - clock.now()).total_seconds()
        waits.append(wait)
        clock.advance(wait)

    assert waits == sorted(waits)
    assert waits[-1] > 10 * waits[0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"soft_fail": True, "never_fail": True}, "both soft_fail and never_fail"),
        ({"mode": "sleep"}, r"mode 'sleep'; use one of \['poke', 'reschedule'\]"),
        ({"poke_interval": -1}, "poke_interval must not be negative"),
        ({"timeout": timedelta(seconds=-1)}, "timeout must not be negative"),
        ({"max_wait": "5"}, "max_wait must be a timedelta or a number of seconds"),
    ],
)
def test_options_that_make_no_sense_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        sensor(True, **arguments)


def test_durations_become_seconds_and_the_timeout_has_a_default() -> None:
    task = sensor(True, poke_interval=timedelta(minutes=2), max_wait=5)

    assert (task.poke_interval, task.timeout, task.max_wait) == (120.0, 604800.0, timedelta(seconds=5))


@pytest.mark.parametrize(
    ("event", "options", "outcome"),
    [
        ("Trigger timeout", {}, AirflowSensorTimeout),
        ("Trigger timeout", {"soft_fail": True}, AirflowSkipException),
        ("boom", {"never_fail": True}, AirflowSkipException),
        ("boom", {"soft_fail": True}, AirflowSkipException),
    ],
)
def test_a_deferred_sensor_ends_as_its_trigger_and_options_say(
    event: str, options: dict[str, bool], outcome: type[Exception]
) -> None:
    task = sensor(True, **options)

    with pytest.raises(outcome):
        task.resume_execution("__fail__", {"error": event}, context_of(task))


def test_a_sensor_for_poke_mode_only_refuses_to_reschedule() -> None:
    @poke_mode_only
    class Attentive(Answers):
        """Remembers things between two looks."""

    with DAG("waiting"):
        assert Attentive(task_id="wait", answers=lambda: iter([True])).mode == "poke"
        with pytest.raises(ValueError, match="Attentive works in mode 'poke' only"):
            Attentive(task_id="wait2", answers=lambda: iter([True]), mode="reschedule")


def test_a_sensor_without_a_look_says_what_it_lacks() -> None:
    with DAG("waiting"):
        task = BaseSensorOperator(task_id="wait")

    with pytest.raises(NotImplementedError, match="must implement poke"):
        task.poke(context_of(task))
