"""Waiting for instants, times of day and whiles (D2)."""

from datetime import datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.instants import utc
from tests.unit.standard.running import context_of, run_of
from tradewind.sdk import DAG
from tradewind.sdk.exceptions import AirflowRescheduleException, TaskDeferred
from tradewind.sdk.server_exceptions import AirflowProviderDeprecationWarning
from tradewind.sdk.standard.date_time_sensor import DateTimeSensor, DateTimeSensorAsync
from tradewind.sdk.standard.temporal_triggers import DateTimeTrigger
from tradewind.sdk.standard.time_delta_sensor import TimeDeltaSensor, TimeDeltaSensorAsync, WaitSensor
from tradewind.sdk.standard.time_sensor import TimeSensor, TimeSensorAsync
from tradewind.testing.clock import FakeClock

TOKYO = ZoneInfo("Asia/Tokyo")


def make(kind: type[Any], zone: ZoneInfo | None = None, **kwargs: Any) -> Any:
    """A sensor in a DAG of that time zone."""
    start = datetime(2026, 1, 1, tzinfo=zone) if zone is not None else utc("2026-01-01")
    with DAG("times", start_date=start):
        return kind(task_id="wait", **kwargs)


def deferred(task: Any, context: Any = None) -> TaskDeferred:
    """What the sensor leaves its worker for."""
    with pytest.raises(TaskDeferred) as signal:
        task.execute(context or context_of(task))
    return signal.value


@pytest.mark.parametrize("target", ["2026-03-02T12:00:00+00:00", utc("2026-03-02 12:00")])
def test_an_instant_is_waited_for(clock: FakeClock, target: Any) -> None:
    task = make(DateTimeSensor, target_time=target)

    assert task.poke(context_of(task)) is False
    clock.advance(1)
    assert task.poke(context_of(task)) is True


def test_an_instant_may_come_from_a_template(clock: FakeClock) -> None:
    task = make(DateTimeSensor, target_time="{{ ds }}T11:00:00+00:00")
    context = context_of(task)

    task.render_template_fields(context)

    assert task.poke(context) is True


def test_something_else_than_an_instant_is_refused(clock: FakeClock) -> None:
    task = make(DateTimeSensor, target_time=5)

    with pytest.raises(TypeError, match="target_time of task 'wait' must be a datetime or a text, not int"):
        task.poke(context_of(task))


def test_an_instant_can_be_waited_for_in_the_triggerer(clock: FakeClock) -> None:
    task = make(DateTimeSensorAsync, target_time="2026-03-02T13:00:00+00:00", end_from_trigger=True)

    signal = deferred(task)

    assert isinstance(signal.trigger, DateTimeTrigger)
    assert signal.trigger.moment == utc("2026-03-02 13:00")
    assert signal.trigger.end_from_trigger is True
    assert getattr(task, signal.method_name)(context_of(task), event=utc("2026-03-02 13:00")) is None


def test_a_task_can_begin_in_the_triggerer_with_its_template() -> None:
    task = make(DateTimeSensorAsync, target_time="{{ data_interval_end }}", start_from_trigger=True)
    other = make(DateTimeSensorAsync, target_time="x")

    assert task.start_from_trigger is True
    assert task.start_trigger_args.trigger_cls.endswith("temporal_triggers.DateTimeTrigger")
    assert task.start_trigger_args.next_method == "execute_complete"
    assert task.start_trigger_args.trigger_kwargs == {
        "target_time": "{{ data_interval_end }}",
        "end_from_trigger": False,
    }
    assert other.start_from_trigger is False
    assert other.start_trigger_args.trigger_kwargs == {"moment": "", "end_from_trigger": False}


def test_a_time_of_day_is_that_of_the_dags_zone(clock: FakeClock) -> None:
    # It is 21:00 in Tokyo.
    assert (
        make(TimeSensor, TOKYO, target_time=time(20, 59)).poke(context_of(make(TimeSensor, target_time=time()))) is True
    )
    assert make(TimeSensor, TOKYO, target_time=time(21, 1)).target_datetime == utc("2026-03-02 12:01")
    assert make(TimeSensor, target_time=time(13)).target_datetime == utc("2026-03-02 13:00")


def test_the_day_is_that_on_which_the_task_begins_not_that_on_which_the_file_was_read(clock: FakeClock) -> None:
    task = make(TimeSensor, target_time=time(13))

    clock.advance(24 * 3600)

    assert deferred(make(TimeSensor, target_time=time(13), deferrable=True)).trigger.moment == utc("2026-03-03 13:00")
    assert task.target_datetime == utc("2026-03-03 13:00")


@pytest.mark.parametrize("mode", ["poke", "reschedule"])
def test_a_wait_over_midnight_does_not_begin_anew(clock: FakeClock, mode: str) -> None:
    task = make(TimeSensor, target_time=time(23, 59), mode=mode, poke_interval=3600)
    context = context_of(task)

    if mode == "poke":
        task.execute(context)
        assert clock.now() == utc("2026-03-03 00:00")
    else:
        context["ti"].first_reschedule_date = clock.now()
        clock.advance(12 * 3600)
        assert task.poke(context) is True


def test_a_time_of_day_can_be_waited_for_from_the_beginning_in_the_triggerer() -> None:
    task = make(TimeSensor, TOKYO, target_time=time(20, 30), start_from_trigger=True, end_from_trigger=True)

    assert task.start_trigger_args.trigger_cls.endswith("temporal_triggers.TimeOfDayTrigger")
    assert task.start_trigger_args.trigger_kwargs == {
        "target_time": "20:30:00",
        "timezone_name": "Asia/Tokyo",
        "end_from_trigger": True,
    }


def test_a_delta_counts_from_the_end_of_the_data_interval(clock: FakeClock) -> None:
    run = run_of("times", data_interval_start=utc("2026-03-01"), data_interval_end=utc("2026-03-02"))
    task = make(TimeDeltaSensor, delta=timedelta(hours=12))

    assert task.poke(context_of(task, run)) is False
    clock.advance(1)
    assert task.poke(context_of(task, run)) is True


def test_a_delta_counts_from_when_a_run_without_an_interval_was_due(clock: FakeClock) -> None:
    run = run_of("times", None, run_id="manual", run_after=utc("2026-03-02 11:00"))

    assert make(TimeDeltaSensor, delta=59).poke(context_of(make(TimeDeltaSensor, delta=1), run)) is True
    assert make(TimeDeltaSensor, delta="61").poke(context_of(make(TimeDeltaSensor, delta=1), run)) is False


def test_a_delta_can_be_waited_for_in_the_triggerer(clock: FakeClock) -> None:
    run = run_of("times", data_interval_start=utc("2026-03-01"), data_interval_end=utc("2026-03-02"))
    over = make(TimeDeltaSensor, delta=timedelta(hours=11), deferrable=True)
    to_come = make(TimeDeltaSensor, delta=timedelta(hours=13), deferrable=True, end_from_trigger=True, timeout=60)

    assert over.execute(context_of(over, run)) is True
    signal = deferred(to_come, context_of(to_come, run))

    assert signal.trigger.moment == utc("2026-03-02 13:00")
    assert signal.trigger.end_from_trigger is True
    assert signal.timeout == timedelta(seconds=60)


def test_the_old_names_still_work() -> None:
    with pytest.warns(AirflowProviderDeprecationWarning, match="use TimeSensor"):
        assert make(TimeSensorAsync, target_time=time(1)).deferrable is True
    with pytest.warns(AirflowProviderDeprecationWarning, match="use TimeDeltaSensor"):
        assert make(TimeDeltaSensorAsync, delta=timedelta(1), end_from_trigger=True).deferrable is True


def test_a_while_is_waited_for_in_every_way(clock: FakeClock) -> None:
    plain = make(WaitSensor, time_to_wait=5)
    plain.execute(context_of(plain))
    assert clock.slept_s == [300]

    assert deferred(make(WaitSensor, time_to_wait=timedelta(minutes=1), deferrable=True)).trigger.moment == utc(
        "2026-03-02 12:06"
    )

    rescheduling = make(WaitSensor, time_to_wait=timedelta(hours=1), mode="reschedule")
    context = context_of(rescheduling)
    with pytest.raises(AirflowRescheduleException) as later:
        rescheduling.execute(context)
    assert later.value.reschedule_date == utc("2026-03-02 13:05")
    context["ti"].first_reschedule_date = clock.now()
    clock.advance(3600)
    rescheduling.execute(context)
