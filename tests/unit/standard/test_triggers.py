"""Triggers fire when they should, and can be made again from what they serialize."""

import asyncio
from collections.abc import AsyncIterator, Callable
from datetime import datetime, timedelta
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from tests.instants import utc
from tests.unit.standard.running import LOGICAL_DATE, MemoryRuntime, answering, run_of
from tradewind.model.task_answers import HITLDetailResponse, HITLUserResult
from tradewind.sdk.standard.external_task_triggers import DagStateTrigger, WorkflowTrigger
from tradewind.sdk.standard.file_triggers import DirectoryFileDeleteTrigger, FileDeleteTrigger, FileTrigger
from tradewind.sdk.standard.hitl_trigger import HITLTrigger
from tradewind.sdk.standard.temporal_triggers import DateTimeTrigger, TimeDeltaTrigger, TimeOfDayTrigger
from tradewind.sdk.triggers import BaseTrigger, TaskSuccessEvent, TriggerEvent
from tradewind.testing.clock import FakeClock
from tradewind.testing.jumping_loop import JumpingLoop


def first_event(trigger: BaseTrigger) -> TriggerEvent:
    """The event that the task takes."""

    async def wait() -> TriggerEvent:
        return await anext(trigger.run())

    return asyncio.run(wait())


@pytest.fixture
def while_waiting(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[float], None]], None]:
    """Do something each time a trigger sleeps, instead of sleeping."""

    def arrange(happen: Callable[[float], None]) -> None:
        async def sleep(seconds: float) -> None:
            happen(seconds)

        monkeypatch.setattr(asyncio, "sleep", sleep)

    return arrange


def made_again(trigger: BaseTrigger) -> BaseTrigger:
    """What another process makes of it."""
    path, arguments = trigger.serialize()
    module, _, name = path.rpartition(".")
    again: BaseTrigger = getattr(import_module(module), name)(**arguments)
    return again


@pytest.mark.parametrize(
    "trigger",
    [
        DateTimeTrigger(utc("2026-03-02"), end_from_trigger=True),
        DateTimeTrigger(target_time="{{ ds }}"),
        FileTrigger("/data/*.csv", recursive=True, poke_interval=2),
        FileDeleteTrigger("/data/flag", poke_interval=2),
        DirectoryFileDeleteTrigger(directory="/data", filename="flag", poke_interval=2),
        WorkflowTrigger("other", logical_dates=[LOGICAL_DATE], external_task_ids=["a"], allowed_states=["success"]),
        DagStateTrigger("other", ["success"], run_ids=["r"]),
        HITLTrigger(ti_id="id", options=["A"], params={"n": 5}, timeout_datetime=None),  # type: ignore[dict-item]
    ],
)
def test_a_trigger_can_be_made_again_from_what_it_serializes(trigger: BaseTrigger) -> None:
    again = made_again(trigger)

    assert type(again) is type(trigger)
    assert trigger.serialize()[0] == f"{type(trigger).__module__}.{type(trigger).__name__}"
    assert again.serialize() == trigger.serialize()


def test_an_instant_is_waited_for_by_the_clock(clock: FakeClock) -> None:
    loop = JumpingLoop(clock)

    event = loop.run_until_complete(anext(aiter(DateTimeTrigger(utc("2026-03-02 12:02:30")).run())))

    loop.close()
    assert event == TriggerEvent(utc("2026-03-02 12:02:30"))
    assert clock.now() == utc("2026-03-02 12:02:30")


def test_an_instant_can_end_the_task(clock: FakeClock) -> None:
    event = first_event(DateTimeTrigger(target_time="2026-03-02T10:00:00+00:00", end_from_trigger=True))

    assert isinstance(event, TaskSuccessEvent)


def test_a_while_is_counted_from_when_the_trigger_is_made(clock: FakeClock) -> None:
    trigger = TimeDeltaTrigger(timedelta(minutes=5))

    clock.advance(60)

    assert trigger.moment == utc("2026-03-02 12:05")
    assert type(made_again(trigger)) is DateTimeTrigger


def test_a_time_of_day_is_that_of_the_day_the_trigger_is_made_on(clock: FakeClock) -> None:
    trigger = TimeOfDayTrigger("01:30:00", "Asia/Tokyo")
    assert trigger.moment == utc("2026-03-01 16:30")

    clock.advance(24 * 3600)

    assert made_again(trigger).moment == utc("2026-03-02 16:30")  # type: ignore[attr-defined]
    assert TimeOfDayTrigger("01:30:00", "+02:30").moment == utc("2026-03-02 23:00")


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({}, TypeError, "either moment or target_time"),
        ({"moment": utc("2026-03-02"), "target_time": "x"}, TypeError, "either moment or target_time"),
        ({"moment": "2026-03-02"}, TypeError, "must be a datetime, not str"),
        ({"moment": datetime(2026, 3, 2)}, ValueError, "has no time zone"),  # noqa: DTZ001
    ],
)
def test_instants_that_are_none_are_refused(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        DateTimeTrigger(**arguments)


def test_a_file_is_waited_for(tmp_path: Path, while_waiting: Any) -> None:
    while_waiting(lambda _: (tmp_path / "data.csv").touch())

    assert first_event(FileTrigger(str(tmp_path / "*.csv"), poke_interval=1)) == TriggerEvent(True)


def test_a_folder_counts_when_there_is_a_file_somewhere_in_it(tmp_path: Path, while_waiting: Any) -> None:
    (tmp_path / "drop" / "empty").mkdir(parents=True)
    while_waiting(lambda _: (tmp_path / "drop" / "empty" / "file").touch())

    assert first_event(FileTrigger(str(tmp_path / "drop"), poke_interval=1)) == TriggerEvent(True)


def test_a_flag_file_is_taken_away(tmp_path: Path, while_waiting: Any) -> None:
    flag = tmp_path / "flag"
    while_waiting(lambda _: flag.touch())

    assert first_event(FileDeleteTrigger(str(flag))) == TriggerEvent(True)
    assert not flag.exists()


def test_a_flag_file_in_a_folder_that_is_yet_to_come_is_taken_away(tmp_path: Path, while_waiting: Any) -> None:
    folder = tmp_path / "inbox"

    def arrive(_: float) -> None:
        folder.mkdir(exist_ok=True)
        (folder / "mine").touch()
        (folder / "other").touch()

    while_waiting(arrive)
    event = first_event(DirectoryFileDeleteTrigger(directory=str(folder), filename="mine"))

    assert event == TriggerEvent({"filepath": str(folder / "mine")})
    assert [path.name for path in folder.iterdir()] == ["other"]


def test_triggers_on_one_folder_share_one_look_at_it(tmp_path: Path) -> None:
    one = DirectoryFileDeleteTrigger(directory=str(tmp_path), filename="one")
    two = DirectoryFileDeleteTrigger(directory=f"{tmp_path}/", filename="two")
    slower = DirectoryFileDeleteTrigger(directory=str(tmp_path), filename="two", poke_interval=60)
    assert one.shared_stream_key() == two.shared_stream_key() != slower.shared_stream_key()
    (tmp_path / "two").touch()

    async def shared() -> AsyncIterator[Any]:
        yield {"directory": str(tmp_path), "names": {"two"}}

    async def events(trigger: DirectoryFileDeleteTrigger) -> list[Any]:
        return [event.payload async for event in trigger.filter_shared_stream(shared())]

    assert asyncio.run(events(one)) == []
    assert asyncio.run(events(two)) == [{"filepath": str(tmp_path / "two")}]
    # Somebody else was faster.
    assert asyncio.run(events(two)) == []


def test_something_that_is_no_folder_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()

    with pytest.raises(NotADirectoryError):
        first_event(DirectoryFileDeleteTrigger(directory=str(tmp_path / "file"), filename="flag"))


def workflow(**arguments: Any) -> WorkflowTrigger:
    """Wait for task `load` on one date."""
    given = {"logical_dates": [LOGICAL_DATE], "external_task_ids": ["load"], "allowed_states": ["success"], **arguments}
    return WorkflowTrigger("other", **given)


@pytest.mark.parametrize(("state", "status"), [("success", "success"), ("failed", "failed"), ("skipped", "skipped")])
def test_a_task_of_another_dag_is_waited_for(while_waiting: Any, state: str, status: str) -> None:
    run = run_of("other")
    with answering(runs=[run], task_states={run.run_id: {"load": "running"}}) as runtime:
        while_waiting(lambda _: runtime.task_states.update({run.run_id: {"load": state}}))

        event = first_event(workflow(failed_states=["failed"], skipped_states=["skipped"]))

    assert event == TriggerEvent({"status": status})


def test_runs_are_waited_for_until_each_has_the_state(while_waiting: Any) -> None:
    with answering(runs=[run_of("other", run_id="one", state="success")]) as runtime:
        while_waiting(lambda _: runtime.runs.append(run_of("other", run_id="two", state="success")))

        event = first_event(WorkflowTrigger("other", run_ids=["one", "two"], allowed_states=["success"]))

    assert event == TriggerEvent({"status": "success"})


def test_the_old_name_of_logical_dates_is_understood() -> None:
    assert workflow(logical_dates=None, execution_dates=[LOGICAL_DATE]).logical_dates == [LOGICAL_DATE]


def test_the_state_of_a_triggered_run_is_in_the_event(while_waiting: Any) -> None:
    with answering(runs=[run_of("other", run_id="mine", state="running")]) as runtime:
        while_waiting(lambda _: runtime.runs.__setitem__(0, run_of("other", run_id="mine", state="failed")))

        path, event = first_event(DagStateTrigger("other", ["success", "failed"], run_ids=["mine"])).payload

    assert path.endswith(".DagStateTrigger")
    assert event["run_ids"] == ["mine"]
    assert event["mine"] == "failed"


def question(**arguments: Any) -> HITLTrigger:
    """A question with two options and a form of one number."""
    params = {"number": {"value": 1, "description": None, "schema": {"type": "integer"}}}
    return HITLTrigger(
        **{"ti_id": "id", "options": ["Yes", "No"], "params": params, "timeout_datetime": None, **arguments}
    )


def answer(**fields: Any) -> HITLDetailResponse:
    """What Ann answered."""
    given = {"chosen_options": ("Yes",), "responded_by_user": HITLUserResult("7", "Ann"), **fields}
    return HITLDetailResponse(response_received=True, responded_at=LOGICAL_DATE, **given)


def test_an_answer_is_waited_for(while_waiting: Any) -> None:
    with answering() as runtime:
        while_waiting(lambda _: setattr(runtime, "answer", answer(params_input={"number": 5})))

        event = first_event(question()).payload

    assert event == {
        "chosen_options": ["Yes"],
        "params_input": {"number": 5},
        "responded_by_user": {"id": "7", "name": "Ann"},
        "responded_at": LOGICAL_DATE,
        "timedout": False,
    }


def test_an_answer_that_does_not_fit_the_form_is_an_error() -> None:
    with answering(answer=answer(params_input={"number": "five"})):
        event = first_event(question()).payload

    assert event["error_type"] == "validation"


def test_after_the_timeout_the_defaults_are_taken_or_it_is_an_error(clock: FakeClock) -> None:
    over = utc("2026-03-02 11:59")

    with answering() as runtime:
        event = first_event(question(timeout_datetime=over, defaults=["No"])).payload
        assert (event["chosen_options"], event["timedout"]) == (["No"], True)
        assert runtime.answer.chosen_options == ("No",)
    with answering():
        assert first_event(question(timeout_datetime=over)).payload["error_type"] == "timeout"


def test_an_answer_counts_although_it_is_seen_after_the_timeout(clock: FakeClock) -> None:
    runtime: MemoryRuntime
    with answering(answer=answer()) as runtime:
        event = first_event(question(timeout_datetime=utc("2026-03-02 11:59"), defaults=["No"])).payload

    assert event["chosen_options"] == ["Yes"]
    assert runtime.answer.responded_by_user == HITLUserResult("7", "Ann")
