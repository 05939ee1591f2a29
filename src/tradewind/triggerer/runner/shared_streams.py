"""Sources that several watchers share: one poll, and a queue for each of them.

A source that keeps its messages until it is told that they are done (`SharedStreamProducer`) is told so when every
watcher is past a message and the events that were made of it are stored.
"""

import asyncio
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine, Hashable
from contextlib import aclosing, suppress
from typing import Any, Final

from tradewind.sdk.configuration import conf
from tradewind.sdk.shared_stream import AckTimeout, AdvanceItem, AdvanceOutcome, SharedStreamProducer
from tradewind.sdk.triggers import BaseEventTrigger
from tradewind.triggerer.protocol import NOBODY

_CANCEL_AGAIN_S: Final = 1.0
_TOGETHER_S: Final = 5.0
"""Those who leave within so long of each other leave together: some wait until what they said is stored."""

MakeTimed = Callable[[Coroutine[Any, Any, None], Callable[[], int]], Awaitable[None]]
"""Awaits some work, with the way to learn who answers for its next step."""


class Message:
    """One message, and how far the watchers are with it."""

    def __init__(self, content: Any, payload: Any, done: Callable[[], object]) -> None:
        self.content = content
        self.payload = payload
        self._done = done
        self._open: dict[Subscriber, int] = {}
        self._acked = self._failed = self._rejected = 0

    @property
    def is_done(self) -> bool:
        """Whether nobody has anything to do with it any more."""
        return not self._open

    @property
    def late(self) -> "list[Subscriber]":
        """Who is not done with it."""
        return list(self._open)

    @property
    def item(self) -> AdvanceItem:
        """What the source is told."""
        return AdvanceItem(self.payload, AdvanceOutcome(self._acked, self._failed, self._rejected))

    def hold(self, subscriber: "Subscriber") -> None:
        """It has one more thing to do with it."""
        self._open[subscriber] = self._open.get(subscriber, 0) + 1

    def let_go(self, subscriber: "Subscriber") -> None:
        """One of these is done."""
        if subscriber not in self._open:
            return  # it rejected the message, or failed on it
        self._open[subscriber] -= 1
        if not self._open[subscriber]:
            self._acked += 1
            self._leave(subscriber)

    def reject(self, subscriber: "Subscriber") -> None:
        """It wants the source to drop it."""
        if subscriber in self._open:
            self._rejected += 1
            self._leave(subscriber)

    def fail(self, subscriber: "Subscriber") -> None:
        """It ended before it was done with it."""
        if subscriber in self._open:
            self._failed += 1
            self._leave(subscriber)

    def _leave(self, subscriber: "Subscriber") -> None:
        del self._open[subscriber]
        if self.is_done:
            self._done()


class Subscriber:
    """What one watcher gets of a shared source: the asynchronous iterator that `filter_shared_stream` is given."""

    def __init__(self, size: int, interrupt: Callable[[], object]) -> None:
        self._size = size
        self._interrupt = interrupt
        self._waiting: deque[Message] = deque()
        self._has_news = asyncio.Event()
        self._current: Message | None = None
        self.error: BaseException | None = None
        """Why it gets nothing more."""

    def put(self, message: Message) -> None:
        """A message came in."""
        if self.error is not None:
            return
        if len(self._waiting) >= self._size:
            self.stop(RuntimeError(f"the watcher fell behind: {self._size} messages of its shared source wait for it"))
            return
        message.hold(self)
        self._waiting.append(message)
        self._has_news.set()

    def stop(self, error: BaseException) -> None:
        """It gets nothing more, and learns why."""
        if self.error is None:
            self.error = error
            self._has_news.set()
            self._interrupt()

    def hold_current(self) -> Callable[[], None]:
        """An event was made of the current message; call what is returned when that is stored."""
        message = self._current
        if message is None:
            return lambda: None
        message.hold(self)
        return lambda: message.let_go(self)

    def reject_current(self) -> None:
        """The source shall drop the message that is being filtered."""
        if self._current is not None:
            self._current.reject(self)

    def fail_rest(self) -> None:
        """What it was not done with, it will not do."""
        for message in (*self._waiting, *([self._current] if self._current is not None else [])):
            message.fail(self)
        self._waiting.clear()
        self._current = None

    def __aiter__(self) -> AsyncIterator[Any]:
        return self

    async def __anext__(self) -> Any:
        """The next message; asking for it says that the one before is done with."""
        if self._current is not None:
            self._current.let_go(self)
            self._current = None
        while not self._waiting:
            if self.error is not None:
                raise self.error
            self._has_news.clear()
            await self._has_news.wait()
        self._current = self._waiting.popleft()
        return self._current.content


class _Group:
    """One source, and who shares it."""

    def __init__(
        self, source: type[BaseEventTrigger], kwargs: dict[str, Any], options: "StreamOptions", timed: MakeTimed
    ) -> None:
        self._source = source
        self._kwargs = kwargs
        self._options = options
        self._timed = timed
        self._lanes: dict[Hashable, deque[Message]] = {}
        self._has_done = asyncio.Event()
        self.subscribers: dict[Subscriber, int] = {}
        """With the numbers of their watchers."""
        self._answers = NOBODY
        self._task = self._begin(self._run)

    @property
    def is_over(self) -> bool:
        """Whether it polls no more."""
        return self._task.done()

    async def close(self) -> None:
        """Nobody shares it any more."""
        self._task.cancel()
        await asyncio.wait([self._task])

    def _begin(self, work: Callable[[], Coroutine[Any, Any, None]]) -> asyncio.Task[None]:
        async def timed() -> None:
            await self._timed(work(), self._who_answers)

        return asyncio.create_task(timed())

    def _who_answers(self) -> int:
        """For what the source does: one of those who share it. Should that one be moved elsewhere, and the source still
        hold up others, it is the next one's turn."""
        self._answers = next(iter(self.subscribers.values()), self._answers)
        return self._answers

    async def _run(self) -> None:
        await asyncio.sleep(self._options.grace_s)
        try:
            if _is_acknowledged(self._source):
                await self._poll_acknowledged(self._source.create_shared_stream_producer(self._kwargs))
            else:
                await self._poll()
            raise RuntimeError("the shared source of the watcher ended")
        except Exception as error:
            for subscriber in list(self.subscribers):
                subscriber.stop(error)

    async def _poll(self) -> None:
        stream: Any = self._source.open_shared_stream(self._kwargs)
        async with aclosing(stream):
            async for content in stream:
                self._hand_out(Message(content, None, lambda: None))

    async def _poll_acknowledged(self, producer: SharedStreamProducer) -> None:
        stream: Any = producer.open_stream()
        advancing = self._begin(lambda: self._advance(producer))
        receiving = self._begin(lambda: self._receive(producer, stream))
        try:
            await asyncio.wait([advancing, receiving], return_when=asyncio.FIRST_COMPLETED)
            for task in (advancing, receiving):
                if task.done():
                    task.result()
        finally:
            await _end(advancing, receiving)
            with suppress(Exception):  # a source that is gone delivers again what was not done
                await self._advance_done(producer)
            await stream.aclose()
            await producer.aclose()

    async def _receive(self, producer: SharedStreamProducer, stream: AsyncIterator[tuple[Any, Any]]) -> None:
        loop = asyncio.get_running_loop()
        async for content, payload in stream:
            message = Message(content, payload, self._has_done.set)
            self._hand_out(message)
            if message.is_done:  # nobody could take it: the source must not be told that this, or a later one, is done
                raise RuntimeError("nobody was left who could take the messages of the shared source")
            self._lanes.setdefault(producer.get_advance_lane(payload), deque()).append(message)
            loop.call_later(self._options.ack_timeout_s, self._expire, message)

    def _hand_out(self, message: Message) -> None:
        for subscriber in list(self.subscribers):
            subscriber.put(message)

    def _expire(self, message: Message) -> None:
        for subscriber in message.late:
            message.fail(subscriber)
            subscriber.stop(AckTimeout(f"a message was not done with after {self._options.ack_timeout_s:g} s"))

    async def _advance(self, producer: SharedStreamProducer) -> None:
        while True:
            await self._has_done.wait()
            self._has_done.clear()
            await self._advance_done(producer)

    async def _advance_done(self, producer: SharedStreamProducer) -> None:
        for lane, messages in list(self._lanes.items()):
            batch = []
            while messages and messages[0].is_done:
                batch.append(messages.popleft().item)
            if not messages:
                del self._lanes[lane]
            if batch:
                await producer.advance(batch)


async def _end(*tasks: asyncio.Task[None]) -> None:
    """Cancel them until they have ended: the client of a broker may lose a cancellation while it connects."""
    while under_way := [task for task in tasks if not task.done()]:
        for task in under_way:
            task.cancel()
        await asyncio.wait(under_way, timeout=_CANCEL_AGAIN_S)
    for task in tasks:
        if not task.cancelled():
            task.exception()  # who wants to know it has asked already


class StreamOptions:
    """See `[triggerer]` of the configuration."""

    def __init__(self) -> None:
        self.size = conf.getint("triggerer", "shared_stream_subscriber_queue_size", fallback=1024)
        self.ack_timeout_s = conf.getfloat("triggerer", "shared_stream_ack_timeout", fallback=300.0)
        self.grace_s = conf.getfloat("triggerer", "shared_stream_cohort_grace_period", fallback=0.0)


class SharedStreams:
    """All sources that are shared, by what names them. A source runs while somebody subscribes to it."""

    def __init__(self, options: StreamOptions | None = None, timed: MakeTimed = lambda work, _: work) -> None:
        """`timed` has the steps of sources noted, as those of watchers are."""
        self._options = options or StreamOptions()
        self._timed = timed
        self._groups: dict[tuple[type[BaseEventTrigger], Hashable], _Group] = {}
        self._group_of: dict[Subscriber, _Group] = {}

    def __len__(self) -> int:
        return len(self._groups)

    def subscribe(
        self, trigger: BaseEventTrigger, kwargs: dict[str, Any], interrupt: Callable[[], object]
    ) -> Subscriber:
        """Take part in the source of this trigger. `interrupt` is called if it gets nothing more (`error`)."""
        place = (type(trigger), trigger.shared_stream_key())
        group = self._groups.get(place)
        if group is None or group.is_over:
            group = self._groups[place] = _Group(type(trigger), kwargs, self._options, self._timed)
        subscriber = Subscriber(self._options.size, interrupt)
        group.subscribers[subscriber] = trigger.trigger_id or NOBODY
        self._group_of[subscriber] = group
        return subscriber

    async def leave(self, subscriber: Subscriber, *, is_orderly: bool = False) -> None:
        """Take part no more. With the last one, the source is closed.

        Who leaves in good order, because it was told to, has not failed on the messages that it was not done with. If
        all do, the source is told nothing of these, and hands them out again to whoever opens it next.
        """
        group = self._group_of.pop(subscriber)
        del group.subscribers[subscriber]
        if not is_orderly:
            subscriber.fail_rest()
        elif group.subscribers:
            asyncio.get_running_loop().call_later(_TOGETHER_S, subscriber.fail_rest)
        if not group.subscribers:
            self._groups = {place: each for place, each in self._groups.items() if each is not group}
            await group.close()


def _is_acknowledged(source: type[BaseEventTrigger]) -> bool:
    made = source.create_shared_stream_producer.__func__  # type: ignore[attr-defined]
    return made is not BaseEventTrigger.create_shared_stream_producer.__func__  # type: ignore[attr-defined]
