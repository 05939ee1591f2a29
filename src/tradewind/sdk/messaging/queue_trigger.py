"""One trigger for all kinds of message queues: which one is said by a scheme."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from importlib import import_module
from typing import Any, Final

from tradewind.sdk.triggers import BaseEventTrigger, TriggerEvent

_SCHEMES: Final[Mapping[str, tuple[str, str]]] = {
    "redis+pubsub": ("tradewind.sdk.messaging.redis_triggers", "AwaitMessageTrigger"),
    "redis+stream": ("tradewind.sdk.messaging.redis_triggers", "RedisStreamTrigger"),
    "redis+list": ("tradewind.sdk.messaging.redis_triggers", "RedisListTrigger"),
    "amqp": ("tradewind.sdk.messaging.rabbitmq_trigger", "RabbitMQTrigger"),
    "rabbitmq": ("tradewind.sdk.messaging.rabbitmq_trigger", "RabbitMQTrigger"),
    "webhook": ("tradewind.sdk.messaging.webhook_trigger", "WebhookTrigger"),
}


class MessageQueueTrigger(BaseEventTrigger):
    """The trigger of a kind of queue. All other arguments are those of that trigger; it is stored as such a one."""

    def __init__(self, *, scheme: str | None = None, queue: str | None = None, **kwargs: Any) -> None:
        super().__init__()
        name, _, rest = (queue or "").partition("://")
        self.scheme = scheme or (name if rest else None)
        self.queue = queue
        self.kwargs = kwargs
        if self.scheme not in _SCHEMES:
            known = ", ".join(sorted(_SCHEMES))
            raise ValueError(f"there is no message queue of the scheme {self.scheme!r}: known are {known}")
        if queue is not None:
            self.kwargs = {"queue": rest if rest and scheme is None else queue, **kwargs}

    @property
    def trigger(self) -> BaseEventTrigger:
        """The one that does it."""
        module, name = _SCHEMES[str(self.scheme)]
        made: BaseEventTrigger = getattr(import_module(module), name)(**self.kwargs)
        return made

    def serialize(self) -> tuple[str, dict[str, Any]]:
        """What another process needs to make the trigger that does it."""
        return self.trigger.serialize()

    async def run(self) -> AsyncIterator[TriggerEvent]:
        """What that one says."""
        async for event in self.trigger.run():
            yield event
