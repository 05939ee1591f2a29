"""Triggers, their events, and streams that several of them share (E1, E3, E4)."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from types import SimpleNamespace
from typing import Any, cast

import pytest

from tradewind.sdk.context import Context
from tradewind.sdk.shared_stream import (
    AdvanceItem,
    AdvanceOutcome,
    SharedStreamProducer,
    filtering,
    reject_shared_stream_event,
)
from tradewind.sdk.states import TaskInstanceState
from tradewind.sdk.triggers import (
    BaseEventTrigger,
    BaseTaskEndEvent,
    BaseTrigger,
    StartTriggerArgs,
    TaskFailedEvent,
    TaskSkippedEvent,
    TaskSuccessEvent,
    TriggerEvent,
)


class Waits(BaseTrigger):
    """Fires at once."""

    def __init__(self, path: str, other: int = 0) -> None:
        super().__init__()
        self.path = path
        self.other = other

    def serialize(self) -> tuple[str, dict[str, Any]]:
        return f"{__name__}.Waits", {"path": self.path, "other": self.other}

    async def run(self) -> AsyncIterator[TriggerEvent]:
        yield TriggerEvent({"path": self.path})


class Watches(BaseEventTrigger):
    """An event trigger."""

    def serialize(self) -> tuple[str, dict[str, Any]]:
        return f"{__name__}.Watches", {}

    async def run(self) -> AsyncIterator[TriggerEvent]:
        yield TriggerEvent(1)


def test_trigger_yields_events() -> None:
    async def first() -> TriggerEvent:
        return await anext(Waits("p").run())

    assert asyncio.run(first()) == TriggerEvent({"path": "p"})


def test_trigger_is_made_again_from_what_it_serializes() -> None:
    _, kwargs = Waits("p", other=5).serialize()

    assert Waits(**kwargs).serialize() == Waits("p", other=5).serialize()
    assert repr(Waits("p")) == f"<{__name__}.Waits path=p, other=0>"


def test_trigger_without_serialize_or_run_cannot_be_made() -> None:
    class Half(BaseTrigger):
        def serialize(self) -> tuple[str, dict[str, Any]]:
            return "", {}

    with pytest.raises(TypeError, match="run"):
        Half()  # type: ignore[abstract]


def test_cleanup_and_kill_do_nothing_by_default() -> None:
    async def end() -> None:
        await Waits("p").cleanup()
        await Waits("p").on_kill()

    asyncio.run(end())


@pytest.mark.parametrize(
    ("event", "state"),
    [
        (TaskSuccessEvent(xcoms={"a": 1}), TaskInstanceState.SUCCESS),
        (TaskFailedEvent(xcoms={"a": 1}), TaskInstanceState.FAILED),
        (TaskSkippedEvent(xcoms={"a": 1}), TaskInstanceState.SKIPPED),
    ],
)
def test_event_may_end_the_task(event: BaseTaskEndEvent, state: TaskInstanceState) -> None:
    assert (event.task_instance_state, event.payload, event.xcoms) == (state, state.value, {"a": 1})


def test_events_are_equal_if_they_say_the_same() -> None:
    assert TriggerEvent([1]) == TriggerEvent([1])
    assert TriggerEvent("success") != TaskSuccessEvent()
    assert repr(TriggerEvent("x")) == "TriggerEvent<'x'>"


def test_fields_of_a_task_that_started_from_its_trigger_are_rendered() -> None:
    start = StartTriggerArgs("cls", "next", trigger_kwargs={"path": "{{ name }}", "unknown": 1})
    task = SimpleNamespace(template_fields=("path", "command", "unknown"), template_ext=(), start_trigger_args=start)
    trigger = Waits("{{ name }}")

    trigger.task_instance = SimpleNamespace(task_id="t", task=task)
    trigger.render_template_fields(cast("Context", {"name": "you"}))

    assert (trigger.task_id, trigger.template_fields, trigger.path) == ("t", ("path",), "you")


def test_fields_of_a_task_that_deferred_are_already_rendered() -> None:
    task = SimpleNamespace(template_fields=("path",), template_ext=(), start_trigger_args=None)
    trigger = Waits("{{ name }}")

    trigger.task_instance = SimpleNamespace(task_id="t", task=task)

    assert trigger.template_fields == ()
    assert trigger.task is task


def test_hash_of_an_event_trigger_is_the_same_in_every_process() -> None:
    arguments = {"a": [1, (2,)], "b": "x"}
    code = f"from tradewind.sdk.triggers import BaseEventTrigger as B; print(B.hash('c', {arguments!r}))"

    other = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert int(other.stdout) == BaseEventTrigger.hash("c", dict(reversed(arguments.items())))
    assert BaseEventTrigger.hash("c", {}) != BaseEventTrigger.hash("d", {})


def test_event_trigger_shares_nothing_unless_it_says_so() -> None:
    trigger = Watches()

    assert trigger.shared_stream_key() is None
    assert not trigger.supports_triggerer_queue
    assert trigger.asset_state_store is None
    with pytest.raises(NotImplementedError, match="Watches has a shared_stream_key"):
        trigger.open_shared_stream({})
    with pytest.raises(NotImplementedError, match="filter_shared_stream"):
        trigger.filter_shared_stream(trigger.run())
    with pytest.raises(NotImplementedError, match="create_shared_stream_producer"):
        trigger.create_shared_stream_producer({})


def test_producer_has_one_lane_by_default() -> None:
    class Producer(SharedStreamProducer):
        async def open_stream(self) -> AsyncIterator[tuple[Any, Any]]:
            yield "event", "payload"

        async def advance(self, batch: Sequence[AdvanceItem]) -> None:
            assert batch

    producer = Producer()

    assert producer.get_advance_lane("a") == producer.get_advance_lane("b")
    assert AdvanceOutcome(acked=1, failed=0).is_clean
    assert not AdvanceOutcome(acked=0, failed=0).is_clean
    assert not AdvanceOutcome(acked=1, failed=0, rejected=1).is_clean
    asyncio.run(producer.aclose())


def test_message_is_rejected_only_while_it_is_filtered(caplog: pytest.LogCaptureFixture) -> None:
    rejected: list[int] = []

    reject_shared_stream_event()
    with filtering(lambda: rejected.append(1)):
        reject_shared_stream_event()

    assert rejected == [1]
    assert "does nothing outside filter_shared_stream" in caplog.text
