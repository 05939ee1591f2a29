"""Messages of real brokers, shared by watchers, and done with when their events are stored (C2).

Each test has a stream, list or queue of its own, and deletes it.
"""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any
from uuid import uuid4

import aio_pika
import pytest
from redis import asyncio as redis

from tests.brokers import broker_url
from tradewind.sdk.messaging import redelivery
from tradewind.sdk.messaging.queue_trigger import MessageQueueTrigger
from tradewind.sdk.messaging.rabbitmq_trigger import RabbitMQTrigger
from tradewind.sdk.messaging.redis_triggers import AwaitMessageTrigger, RedisListTrigger, RedisStreamTrigger
from tradewind.sdk.triggers import BaseEventTrigger
from tradewind.triggerer.runner.shared_streams import SharedStreams, Subscriber

PATIENCE_S = 20.0


@pytest.fixture(autouse=True)
def connections(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the brokers, as tasks and triggers find them."""
    monkeypatch.setenv("AIRFLOW_CONN_REDIS_DEFAULT", broker_url("redis"))
    monkeypatch.setenv("AIRFLOW_CONN_RABBITMQ_DEFAULT", broker_url("rabbitmq"))
    monkeypatch.setattr(redelivery, "PAUSE_S", 0.05)


class Reader:
    """A watcher that stores an event when it is told to."""

    def __init__(self, trigger: BaseEventTrigger, streams: SharedStreams) -> None:
        self._streams = streams
        self.subscriber: Subscriber = streams.subscribe(trigger, trigger.serialize()[1], lambda: None)
        self._events: Any = trigger.filter_shared_stream(self.subscriber)
        self.stored: Callable[[], None] = lambda: None
        self.message_id: str | None = None

    async def next(self) -> Any:
        """The payload of its next event, which is not stored yet."""
        async with asyncio.timeout(PATIENCE_S):
            event = await anext(self._events)
        self.stored = self.subscriber.hold_current()
        self.message_id = event.message_id
        return event.payload

    async def leave(self) -> None:
        """It is stopped, or fails."""
        await self._events.aclose()
        await self._streams.leave(self.subscriber)


@asynccontextmanager
async def reading(trigger: BaseEventTrigger) -> AsyncIterator[Reader]:
    reader = Reader(trigger, SharedStreams())
    try:
        yield reader
    finally:
        await reader.leave()


async def until(is_so: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(PATIENCE_S):
        while not await is_so():  # noqa: ASYNC110 - brokers tell nobody
            await asyncio.sleep(0.01)


@asynccontextmanager
async def redis_client() -> AsyncIterator[Any]:
    client: Any = redis.Redis.from_url(broker_url("redis"), decode_responses=True)
    try:
        yield client
    finally:
        await client.aclose()


def test_a_message_of_a_stream_is_done_when_its_event_is_stored() -> None:
    """What nobody was done with comes again, also to somebody else, and under the same name (E6)."""

    async def scenario() -> None:
        name = f"test-{uuid4()}"
        trigger = RedisStreamTrigger(name, group="g")
        async with redis_client() as client:
            try:
                for text in ("one", "two"):
                    await client.xadd(name, {"text": text})
                async with reading(trigger) as reader:
                    first = await reader.next()
                    reader.stored()
                    assert (first["stream"], first["fields"]) == (name, {"text": "one"})
                    assert (await reader.next())["fields"] == {"text": "two"}
                    name_of_two = reader.message_id

                    async def one_is_done() -> bool:
                        return int((await client.xpending(name, "g"))["pending"]) == 1

                    await until(one_is_done)
                async with reading(trigger) as other:
                    assert (await other.next())["fields"] == {"text": "two"}
                    assert other.message_id == name_of_two is not None
                    other.stored()
                    await client.xadd(name, {"text": "three"})
                    assert (await other.next())["fields"] == {"text": "three"}
            finally:
                await client.delete(name)

    asyncio.run(scenario())


def test_a_message_of_a_list_is_kept_until_its_event_is_stored() -> None:
    async def scenario() -> None:
        name = f"test-{uuid4()}"
        async with redis_client() as client:
            try:
                await client.rpush(name, "one", "two")
                async with reading(RedisListTrigger(name)) as reader:
                    assert (await reader.next())["data"] == "one"
                    reader.stored()
                    assert (await reader.next())["data"] == "two"
                    await until(lambda: _is(client.lrange(f"{name}:tradewind", 0, -1), ["two"]))
                async with reading(RedisListTrigger(name)) as other:
                    assert (await other.next())["data"] == "two"
                    other.stored()
                    await client.rpush(name, "three")
                    assert (await other.next())["data"] == "three"
                    other.stored()
                    await client.rpush(name, "four")
                    assert (await other.next())["data"] == "four"
                    await until(lambda: _is(client.lrange(f"{name}:tradewind", 0, -1), ["four"]))
            finally:
                await client.delete(name, f"{name}:tradewind")

    asyncio.run(scenario())


def test_a_message_of_a_channel_is_an_event_while_somebody_listens() -> None:
    async def scenario() -> None:
        name = f"test-{uuid4()}"
        events: Any = AwaitMessageTrigger(channels=[name]).run()
        async with redis_client() as client:
            heard = asyncio.ensure_future(anext(events))
            await until(lambda: _is(client.publish(name, "hello"), 1))
            async with asyncio.timeout(PATIENCE_S):
                payload = (await heard).payload
            await events.aclose()
        assert (payload["channel"], payload["data"]) == (name, "hello")

    asyncio.run(scenario())


@asynccontextmanager
async def rabbitmq_queue() -> AsyncIterator[tuple[str, Callable[[str], Awaitable[Any]], Callable[[], Awaitable[int]]]]:
    """Its name, what puts a message into it, and what counts those that nobody has taken."""
    name = f"test-{uuid4()}"
    connection = await aio_pika.connect(broker_url("rabbitmq"))
    channel = await connection.channel()
    await channel.declare_queue(name, durable=True)

    async def put(text: str) -> None:
        await channel.default_exchange.publish(aio_pika.Message(text.encode(), headers={"n": 1}), routing_key=name)

    async def count() -> int:
        found = await channel.declare_queue(name, passive=True, durable=True)
        return found.declaration_result.message_count or 0

    try:
        yield name, put, count
    finally:
        await channel.queue_delete(name)
        await connection.close()


def test_a_message_of_rabbitmq_is_acknowledged_when_its_event_is_stored() -> None:
    """Who is stopped before that leaves it to the next one, under the name that its publisher gave it (E6)."""

    async def scenario() -> None:
        async with rabbitmq_queue() as (name, put, count):
            await put("one")
            await put("two")
            async with reading(RabbitMQTrigger(name)) as reader:
                first = await reader.next()
                reader.stored()
                assert (first["queue"], first["body"], first["headers"]) == (name, "one", {"n": "1"})
                assert (await reader.next())["body"] == "two"
                name_of_two = reader.message_id
            await until(lambda: _is(count(), 1))
            async with reading(RabbitMQTrigger(name)) as other:
                assert (await other.next())["body"] == "two"
                assert other.message_id == name_of_two is not None
                other.stored()
                await put("three")
                assert (await other.next())["body"] == "three"
                other.stored()
                await put("four")
                assert (await other.next())["body"] == "four"
            await until(lambda: _is(count(), 1))

    asyncio.run(scenario())


def test_the_scheme_says_which_kind_of_queue_it_is() -> None:
    """It is stored as the trigger of that kind; as in Airflow a URL may say it too."""
    by_scheme = MessageQueueTrigger(scheme="redis+stream", stream="s").serialize()
    by_url = MessageQueueTrigger(queue="rabbitmq://orders").serialize()

    assert by_scheme == RedisStreamTrigger("s").serialize()
    assert by_url == RabbitMQTrigger("orders").serialize()
    with pytest.raises(ValueError, match="no message queue of the scheme 'carrier-pigeon': known are amqp"):
        MessageQueueTrigger(scheme="carrier-pigeon")


async def _is(asked: Awaitable[Any], value: object) -> bool:
    return bool(await asked == value)
