"""Messages of Redis: of streams and lists, which are told when a message is done, and of channels, which are not."""

from __future__ import annotations

import asyncio
import json
from abc import abstractmethod
from collections.abc import AsyncIterator, Hashable, Sequence
from contextlib import aclosing
from typing import Any, Final, cast

from tradewind.sdk.connection import Connection
from tradewind.sdk.messaging.redelivery import Redelivery
from tradewind.sdk.shared_stream import AdvanceItem, SharedStreamProducer
from tradewind.sdk.triggers import BaseEventTrigger, TriggerEvent

_AT_ONCE: Final = 100
_BLOCK_MS: Final = 5_000
_SLACK_S: Final = 30.0
_CONSUMER: Final = "tradewind"


async def connect(conn_id: str) -> Any:
    """A client for the connection of that name.

    Raises:
        ModuleNotFoundError: the client library is not installed.
    """
    # An optional driver: deployments without Redis do without it.
    try:
        from redis import asyncio as redis  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("messages of Redis need its client: pip install 'tradewind[messaging]'") from error
    found = await asyncio.to_thread(Connection.get, conn_id)
    extra = found.extra_dejson
    return redis.Redis(
        host=found.host or "localhost",
        port=found.port or 6379,
        username=found.login or None,
        password=found.password or None,
        db=int(extra.get("db") or found.schema or 0),
        ssl=bool(extra.get("ssl", False)),
        decode_responses=True,
        # Longer than any answer takes that waits for a message: what comes to a connection that was given up is lost.
        socket_timeout=_BLOCK_MS / 1000 + _SLACK_S,
    )


class _RedisTrigger(BaseEventTrigger):
    """What those of streams and lists have in common: each message is an event."""

    _names: tuple[str, ...]
    """Of its arguments."""

    def serialize(self) -> tuple[str, dict[str, Any]]:
        """What another process needs to make the same trigger."""
        return f"{__name__}.{type(self).__name__}", {name: getattr(self, name) for name in self._names}

    def shared_stream_key(self) -> Hashable | None:
        """All that take from the same place share one connection."""
        return tuple(str(getattr(self, name)) for name in self._names)

    async def filter_shared_stream(self, shared_stream: AsyncIterator[Any]) -> AsyncIterator[TriggerEvent]:
        """Each message is an event."""
        async for message in shared_stream:
            yield TriggerEvent(message, message_id=self._name_of(message))

    def _name_of(self, message: dict[str, Any]) -> str | None:
        """The same whenever the message is handed out."""
        return None

    async def run(self) -> AsyncIterator[TriggerEvent]:
        """The same without sharing: for who runs it by hand. Nothing is told to be done."""
        producer = self.create_shared_stream_producer(self.serialize()[1])
        try:
            async for message, _ in producer.open_stream():
                yield TriggerEvent(message)
        finally:
            await producer.aclose()


class RedisStreamTrigger(_RedisTrigger):
    """Fires for each message of a stream, as one consumer group. A message is done (XACK) when its event is stored."""

    _names = ("stream", "group", "redis_conn_id")

    def _name_of(self, message: dict[str, Any]) -> str:
        # With what is in it: who deletes a stream and begins it anew may give the same ids again.
        return f"{message['id']} {json.dumps(message['fields'], sort_keys=True)}"

    def __init__(self, stream: str, group: str = "tradewind", redis_conn_id: str = "redis_default") -> None:
        super().__init__()
        self.stream = stream
        self.group = group
        self.redis_conn_id = redis_conn_id

    @classmethod
    def create_shared_stream_producer(cls, kwargs: dict[str, Any]) -> SharedStreamProducer:
        """See `BaseEventTrigger`."""
        made = cls(**kwargs)
        return _StreamProducer(made.stream, made.group, made.redis_conn_id)


class RedisListTrigger(_RedisTrigger):
    """Fires for each message of a list. It waits in a second list until its event is stored, and is deleted then."""

    _names = ("queue", "redis_conn_id")

    def __init__(self, queue: str, redis_conn_id: str = "redis_default") -> None:
        super().__init__()
        self.queue = queue
        self.redis_conn_id = redis_conn_id

    @classmethod
    def create_shared_stream_producer(cls, kwargs: dict[str, Any]) -> SharedStreamProducer:
        """See `BaseEventTrigger`."""
        made = cls(**kwargs)
        return _ListProducer(made.queue, made.redis_conn_id)


class AwaitMessageTrigger(BaseEventTrigger):
    """Fires for each message of channels. Redis keeps none of them: what is said while nobody listens is lost."""

    def __init__(
        self, channels: list[str] | str, redis_conn_id: str = "redis_default", poll_interval: float = 60.0
    ) -> None:
        super().__init__()
        self.channels = channels
        self.redis_conn_id = redis_conn_id
        self.poll_interval = poll_interval

    def serialize(self) -> tuple[str, dict[str, Any]]:
        """What another process needs to make the same trigger."""
        names = ("channels", "redis_conn_id", "poll_interval")
        return f"{__name__}.AwaitMessageTrigger", {name: getattr(self, name) for name in names}

    async def run(self) -> AsyncIterator[TriggerEvent]:
        """Listen. Messages come by themselves; `poll_interval` is only how long a silent connection is believed in."""
        channels = [self.channels] if isinstance(self.channels, str) else self.channels
        client = await connect(self.redis_conn_id)
        listening = client.pubsub()
        try:
            await listening.subscribe(*channels)
            while True:
                message = await listening.get_message(ignore_subscribe_messages=True, timeout=self.poll_interval)
                if message is not None:
                    yield TriggerEvent(message)
        finally:
            await listening.aclose()
            await client.aclose()


class _RedisProducer(SharedStreamProducer):
    """One connection."""

    def __init__(self, conn_id: str) -> None:
        self._conn_id = conn_id
        self._client: Any = None
        self._again = Redelivery()

    async def open_stream(self) -> AsyncIterator[tuple[Any, Any]]:
        """See `SharedStreamProducer`."""
        self._client = await connect(self._conn_id)
        await self._prepare()
        merged = self._again.merged(self._messages())
        async with aclosing(cast("Any", merged)):
            async for pair in merged:
                yield pair

    async def advance(self, batch: Sequence[AdvanceItem]) -> None:
        """See `SharedStreamProducer`."""
        done = []
        for (key, content), outcome in batch:
            if outcome.failed and self._again.failed(key, content, (key, content)):
                continue
            self._again.done(key)
            done.append(key)
        if done:
            await self._acknowledge(done)

    async def aclose(self) -> None:
        """See `SharedStreamProducer`."""
        if self._client is not None:
            await self._client.aclose()

    @abstractmethod
    async def _prepare(self) -> None:
        """Before the first message."""

    @abstractmethod
    def _messages(self) -> AsyncIterator[tuple[Any, Any]]:
        """For ever: the content, and its key with the content."""

    @abstractmethod
    async def _acknowledge(self, keys: Sequence[Any]) -> None:
        """These are done."""


class _StreamProducer(_RedisProducer):
    def __init__(self, stream: str, group: str, conn_id: str) -> None:
        super().__init__(conn_id)
        self._stream = stream
        self._group = group

    async def _prepare(self) -> None:
        # One that is there says BUSYGROUP, and goes on where it was.
        try:
            await self._client.xgroup_create(self._stream, self._group, id="0", mkstream=True)
        except Exception as error:
            if "BUSYGROUP" not in str(error):
                raise

    async def _messages(self) -> AsyncIterator[tuple[Any, Any]]:
        # First what was handed out before and is not done: whoever took it is gone.
        last = "0"
        while True:
            is_new = last == ">"
            found = await self._client.xreadgroup(
                self._group, _CONSUMER, {self._stream: last}, count=_AT_ONCE, block=_BLOCK_MS if is_new else None
            )
            messages = [message for _, of_stream in _pairs(found) for message in of_stream]
            if not is_new:
                last = messages[-1][0] if messages else ">"
            for key, fields in messages:
                content = {"stream": self._stream, "id": key, "fields": fields}
                yield content, (key, content)

    async def _acknowledge(self, keys: Sequence[Any]) -> None:
        await self._client.xack(self._stream, self._group, *keys)


class _ListProducer(_RedisProducer):
    def __init__(self, queue: str, conn_id: str) -> None:
        super().__init__(conn_id)
        self._queue = queue
        self._taken = f"{queue}:tradewind"

    async def _prepare(self) -> None:
        # Whoever took these is gone. The last one goes back first, so that their order stays.
        while await self._client.lmove(self._taken, self._queue, "RIGHT", "LEFT") is not None:
            pass

    async def _messages(self) -> AsyncIterator[tuple[Any, Any]]:
        while True:
            message = await self._client.blmove(self._queue, self._taken, _BLOCK_MS / 1000, "LEFT", "RIGHT")
            if message is not None:
                content = {"queue": self._queue, "data": message}
                yield content, (message, content)

    async def _acknowledge(self, keys: Sequence[Any]) -> None:
        async with self._client.pipeline(transaction=False) as pipeline:
            for key in keys:
                pipeline.lrem(self._taken, 1, key)
            await pipeline.execute()


def _pairs(found: Any) -> list[tuple[str, list[tuple[str, dict[str, str]]]]]:
    """Version 3 of the protocol answers with a mapping, of lists of lists."""
    if isinstance(found, dict):
        return [(name, [message for part in parts for message in part]) for name, parts in found.items()]
    return [tuple(each) for each in found or ()]
