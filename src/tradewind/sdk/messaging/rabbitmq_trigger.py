"""Messages of RabbitMQ, which are told to be done when their events are stored."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Hashable, Sequence
from contextlib import aclosing
from typing import Any
from urllib.parse import quote

from tradewind.sdk.connection import Connection
from tradewind.sdk.messaging.redelivery import Redelivery
from tradewind.sdk.shared_stream import AdvanceItem, SharedStreamProducer
from tradewind.sdk.triggers import BaseEventTrigger, TriggerEvent


class RabbitMQTrigger(BaseEventTrigger):
    """Fires for each message of a queue. A message is acknowledged when its event is stored.

    The queue is made, durable, if it is not there; with `declare=False` it must be.
    """

    def __init__(
        self, queue: str, rabbitmq_conn_id: str = "rabbitmq_default", declare: bool = True, prefetch: int = 100
    ) -> None:
        super().__init__()
        self.queue = queue
        self.rabbitmq_conn_id = rabbitmq_conn_id
        self.declare = declare
        self.prefetch = prefetch

    def serialize(self) -> tuple[str, dict[str, Any]]:
        """What another process needs to make the same trigger."""
        names = ("queue", "rabbitmq_conn_id", "declare", "prefetch")
        return f"{__name__}.RabbitMQTrigger", {name: getattr(self, name) for name in names}

    def shared_stream_key(self) -> Hashable | None:
        """All that take from the same queue share one connection."""
        return ("rabbitmq", self.rabbitmq_conn_id, self.queue)

    @classmethod
    def create_shared_stream_producer(cls, kwargs: dict[str, Any]) -> SharedStreamProducer:
        """See `BaseEventTrigger`."""
        return _Producer(cls(**kwargs))

    async def filter_shared_stream(self, shared_stream: AsyncIterator[Any]) -> AsyncIterator[TriggerEvent]:
        """Each message is an event."""
        async for message in shared_stream:
            # Only who published it can name a message. With its content: some name all of theirs alike.
            name = None if message["message_id"] is None else f"{message['message_id']} {message['body']}"
            yield TriggerEvent(message, message_id=name)

    async def run(self) -> AsyncIterator[TriggerEvent]:
        """The same without sharing: for who runs it by hand. Nothing is told to be done."""
        producer = _Producer(self)
        try:
            async for message, _ in producer.open_stream():
                yield TriggerEvent(message)
        finally:
            await producer.aclose()


class _Producer(SharedStreamProducer):
    def __init__(self, trigger: RabbitMQTrigger) -> None:
        self._trigger = trigger
        self._connection: Any = None
        self._again = Redelivery()

    async def open_stream(self) -> AsyncIterator[tuple[Any, Any]]:
        """See `SharedStreamProducer`."""
        trigger = self._trigger
        self._connection = await _connect(trigger.rabbitmq_conn_id)
        channel = await self._connection.channel()
        await channel.set_qos(prefetch_count=trigger.prefetch)
        queue = await channel.declare_queue(trigger.queue, durable=True, passive=not trigger.declare)
        merged: Any = self._again.merged(_messages(queue))
        async with aclosing(merged):
            async for pair in merged:
                yield pair

    async def advance(self, batch: Sequence[AdvanceItem]) -> None:
        """See `SharedStreamProducer`. What was rejected, or given up, goes to the dead-letter exchange of the queue."""
        for (message, content), outcome in batch:
            if outcome.failed and self._again.failed(message.delivery_tag, content, (message, content)):
                continue
            self._again.done(message.delivery_tag)
            if outcome.is_clean:
                await message.ack()
            else:
                await message.reject(requeue=False)

    async def aclose(self) -> None:
        """See `SharedStreamProducer`."""
        if self._connection is not None:
            await self._connection.close()


async def _messages(queue: Any) -> AsyncIterator[tuple[Any, Any]]:
    async with queue.iterator() as messages:
        async for message in messages:
            content = {
                "queue": queue.name,
                "body": message.body.decode("utf-8", "replace"),
                "message_id": message.message_id,
                "routing_key": message.routing_key,
                "headers": {str(name): str(value) for name, value in message.headers.items()},
            }
            yield content, (message, content)


async def _connect(conn_id: str) -> Any:
    # An optional driver: deployments without RabbitMQ do without it.
    try:
        import aio_pika  # noqa: PLC0415
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError("messages of RabbitMQ need its client: pip install 'tradewind[messaging]'") from error
    found = await asyncio.to_thread(Connection.get, conn_id)
    login, password = quote(found.login or "guest", safe=""), quote(found.password or "guest", safe="")
    scheme = "amqps" if found.extra_dejson.get("ssl") else "amqp"
    host = f"{found.host or 'localhost'}:{found.port or 5672}"
    return await aio_pika.connect(f"{scheme}://{login}:{password}@{host}/{quote(found.schema or '/', safe='')}")
