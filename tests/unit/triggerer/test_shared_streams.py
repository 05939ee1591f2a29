"""Sources that watchers share: one poll, what each of them gets, and when the source is told (C2)."""

import asyncio
from collections.abc import AsyncIterator, Callable, Coroutine, Hashable, Sequence
from typing import Any, ClassVar

import pytest

from tradewind.sdk.shared_stream import (
    AckTimeout,
    AdvanceItem,
    SharedStreamProducer,
    filtering,
    reject_shared_stream_event,
)
from tradewind.sdk.triggers import BaseEventTrigger, TriggerEvent
from tradewind.triggerer.runner import shared_streams
from tradewind.triggerer.runner.shared_streams import SharedStreams, StreamOptions, Subscriber

PATIENCE_S = 10.0


class Source(SharedStreamProducer):
    """Says what a test puts into it."""

    made: ClassVar[list["Source"]] = []

    def __init__(self) -> None:
        self.messages: asyncio.Queue[Any] = asyncio.Queue()
        self.told: list[tuple[str, int, int, int]] = []
        self.has_told = asyncio.Event()
        self.is_closed = False
        Source.made.append(self)

    async def open_stream(self) -> AsyncIterator[tuple[Any, Any]]:
        while True:
            message = await self.messages.get()
            if isinstance(message, Exception):
                raise message
            yield message, message

    async def advance(self, batch: Sequence[AdvanceItem]) -> None:
        self.told += [(text, done.acked, done.failed, done.rejected) for text, done in batch]
        self.has_told.set()

    async def aclose(self) -> None:
        self.is_closed = True


class Acknowledged(BaseEventTrigger):
    """Of a source that keeps messages."""

    def serialize(self) -> tuple[str, dict[str, Any]]:
        return "", {}

    def shared_stream_key(self) -> Hashable | None:
        return "one"

    @classmethod
    def create_shared_stream_producer(cls, kwargs: dict[str, Any]) -> SharedStreamProducer:
        return Source()

    async def filter_shared_stream(self, shared_stream: AsyncIterator[Any]) -> AsyncIterator[TriggerEvent]:
        async for message in shared_stream:
            if message == "junk":
                reject_shared_stream_event()
            else:
                yield TriggerEvent(message)

    async def run(self) -> AsyncIterator[TriggerEvent]:
        yield TriggerEvent(None)


class Plain(Acknowledged):
    """Of a source that forgets."""

    create_shared_stream_producer = BaseEventTrigger.create_shared_stream_producer

    @classmethod
    async def open_shared_stream(cls, kwargs: dict[str, Any]) -> AsyncIterator[Any]:
        yield "only"
        await asyncio.Event().wait()


def options(**values: Any) -> StreamOptions:
    made = StreamOptions()
    for name, value in values.items():
        setattr(made, name, value)
    return made


def run(scenario: Callable[[], Coroutine[Any, Any, None]]) -> None:
    async def limited() -> None:
        async with asyncio.timeout(PATIENCE_S):
            await scenario()

    Source.made.clear()
    asyncio.run(limited())


def subscribed(streams: SharedStreams, trigger: BaseEventTrigger | None = None) -> tuple[Subscriber, Any]:
    trigger = trigger or Acknowledged()
    subscriber = streams.subscribe(trigger, {}, lambda: None)
    return subscriber, trigger.filter_shared_stream(subscriber)


async def source() -> Source:
    while not Source.made:  # noqa: ASYNC110 - the group makes it as soon as it runs
        await asyncio.sleep(0)
    return Source.made[-1]


def test_a_message_is_done_when_all_are_past_it_and_its_events_are_stored() -> None:
    async def scenario() -> None:
        streams = SharedStreams(options())
        (one, of_one), (two, of_two) = subscribed(streams), subscribed(streams)
        made = await source()
        for text in ("a", "b"):
            made.messages.put_nowait(text)
        assert [(await anext(of_one)).payload, (await anext(of_two)).payload] == ["a", "a"]
        store_one, store_two = one.hold_current(), two.hold_current()
        assert [(await anext(of_one)).payload, (await anext(of_two)).payload] == ["b", "b"]
        store_one()
        assert made.told == []

        store_two()
        await made.has_told.wait()
        assert made.told == [("a", 2, 0, 0)]
        assert len(Source.made) == 1
        for subscriber in (one, two):
            await streams.leave(subscriber)
        assert (made.is_closed, len(streams), made.told[1:]) == (True, 0, [("b", 0, 2, 0)])

    run(scenario)


def test_who_leaves_in_good_order_leaves_messages_to_the_next_poll() -> None:
    """E6: stopping a triggerer, or changing the code, must not make a source drop what nobody was done with."""

    async def scenario() -> None:
        streams = SharedStreams(options())
        (one, of_one), (two, of_two) = subscribed(streams), subscribed(streams)
        made = await source()
        for text in ("a", "b"):
            made.messages.put_nowait(text)
        for events in (of_one, of_two):
            assert [(await anext(events)).payload, (await anext(events)).payload] == ["a", "b"]

        await streams.leave(one, is_orderly=True)
        two.hold_current()()
        await streams.leave(two, is_orderly=True)

        assert (made.is_closed, made.told) == (True, [("a", 2, 0, 0)])

    run(scenario)


def test_who_leaves_others_behind_has_failed_on_its_messages_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_streams, "_TOGETHER_S", 0.01)

    async def scenario() -> None:
        streams = SharedStreams(options())
        (leaving, _), (staying, of_staying) = subscribed(streams), subscribed(streams)
        made = await source()
        made.messages.put_nowait("a")
        assert (await anext(of_staying)).payload == "a"
        next_one = asyncio.ensure_future(anext(of_staying))

        await streams.leave(leaving, is_orderly=True)

        await made.has_told.wait()
        assert made.told == [("a", 1, 1, 0)]
        next_one.cancel()
        await streams.leave(staying)

    run(scenario)


def test_a_message_that_nobody_could_take_is_not_done() -> None:
    """Whoever opens the source next gets it."""

    async def scenario() -> None:
        streams = SharedStreams(options())
        subscriber, _ = subscribed(streams)
        made = await source()
        subscriber.stop(ValueError("it has enough"))
        made.messages.put_nowait("a")
        made.messages.put_nowait("b")
        while not made.is_closed:  # noqa: ASYNC110 - the poll ends by itself
            await asyncio.sleep(0)

        assert (made.told, made.messages.qsize()) == ([], 1)
        await streams.leave(subscriber)

    run(scenario)


@pytest.mark.parametrize("is_in_task", [False, True])
def test_what_a_watcher_rejects_is_told_so(is_in_task: bool) -> None:
    """Also by a filter that waits for messages in a task of its own, as one does that waits for a while only."""

    async def scenario() -> None:
        streams = SharedStreams(options())
        subscriber, events = subscribed(streams)
        made = await source()
        for text in ("junk", "b", "junk"):
            made.messages.put_nowait(text)
        with filtering(subscriber.reject_current):
            event = await (asyncio.ensure_future(anext(events)) if is_in_task else anext(events))
            assert event.payload == "b"
            waiting = asyncio.ensure_future(anext(events))
            while len(made.told) < 3:
                made.has_told.clear()
                await made.has_told.wait()

        assert made.told == [("junk", 0, 0, 1), ("b", 1, 0, 0), ("junk", 0, 0, 1)]
        waiting.cancel()
        await streams.leave(subscriber)

    run(scenario)


def test_who_falls_behind_fails_alone() -> None:
    async def scenario() -> None:
        streams = SharedStreams(options(size=1))
        (slow, _), (quick, of_quick) = subscribed(streams), subscribed(streams)
        made = await source()
        made.messages.put_nowait("a")
        assert (await anext(of_quick)).payload == "a"
        made.messages.put_nowait("b")
        assert (await anext(of_quick)).payload == "b"
        assert "fell behind" in str(slow.error)
        assert quick.error is None
        for subscriber in (slow, quick):
            await streams.leave(subscriber)

    run(scenario)


def test_who_is_not_done_in_time_fails() -> None:
    async def scenario() -> None:
        streams = SharedStreams(options(ack_timeout_s=0.01))
        subscriber, events = subscribed(streams)
        made = await source()
        made.messages.put_nowait("a")
        await anext(events)

        await made.has_told.wait()
        assert made.told == [("a", 0, 1, 0)]
        with pytest.raises(AckTimeout, match=r"not done with after 0\.01 s"):
            await anext(events)
        await streams.leave(subscriber)

    run(scenario)


def test_a_source_that_fails_fails_all_and_is_opened_anew_for_the_next() -> None:
    async def scenario() -> None:
        streams = SharedStreams(options())
        subscriber, events = subscribed(streams)
        (await source()).messages.put_nowait(OSError("the broker is gone"))

        with pytest.raises(OSError, match="the broker is gone"):
            await anext(events)
        await streams.leave(subscriber)
        again, _ = subscribed(streams)
        while len(Source.made) < 2:  # noqa: ASYNC110 - it is made when somebody has subscribed
            await asyncio.sleep(0)
        assert [made.is_closed for made in Source.made] == [True, False]
        await streams.leave(again)

    run(scenario)


def test_a_source_that_forgets_hands_out_to_all() -> None:
    async def scenario() -> None:
        streams = SharedStreams(options())
        (one, of_one), (two, of_two) = subscribed(streams, Plain()), subscribed(streams, Plain())
        assert [(await anext(of_one)).payload, (await anext(of_two)).payload] == ["only", "only"]
        for subscriber in (one, two):
            await streams.leave(subscriber)

    run(scenario)


class Deaf(Source):
    """Loses the first cancellation that reaches it while it is told what is done, as clients do that connect."""

    async def advance(self, batch: Sequence[AdvanceItem]) -> None:
        await super().advance(batch)
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return


class OfDeaf(Acknowledged):
    @classmethod
    def create_shared_stream_producer(cls, kwargs: dict[str, Any]) -> SharedStreamProducer:
        return Deaf()


def test_a_source_that_loses_a_cancellation_ends_all_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shared_streams, "_CANCEL_AGAIN_S", 0.01)

    async def scenario() -> None:
        streams = SharedStreams(options())
        subscriber, events = subscribed(streams, OfDeaf())
        (await source()).messages.put_nowait("one")
        await anext(events)
        stored = subscriber.hold_current()
        stored()
        await events.aclose()
        subscriber.fail_rest()
        await (await source()).has_told.wait()

        await streams.leave(subscriber)

        assert (await source()).is_closed

    run(scenario)
