"""What others post to the web server."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

from tradewind.sdk.runtime import current_runtime
from tradewind.sdk.triggers import BaseEventTrigger, TriggerEvent


class WebhookTrigger(BaseEventTrigger):
    """Fires for each JSON that is posted to `/webhooks/<hook>`. It is kept until its event is stored."""

    def __init__(self, hook: str, poll_interval: float = 1.0) -> None:
        super().__init__()
        self.hook = hook
        self.poll_interval = poll_interval

    def serialize(self) -> tuple[str, dict[str, Any]]:
        """What another process needs to make the same trigger."""
        return f"{__name__}.WebhookTrigger", {"hook": self.hook, "poll_interval": self.poll_interval}

    async def run(self) -> AsyncIterator[TriggerEvent]:
        """Ask for what was posted; each is done with when its event is stored, which is when `yield` returns."""
        runtime = current_runtime()
        while True:
            messages = await asyncio.to_thread(runtime.get_webhook_messages, self.hook)
            for message in messages:
                payload = {"hook": self.hook, "body": json.loads(message.body)}
                yield TriggerEvent(payload, message_id=str(message.number))
                await asyncio.to_thread(runtime.delete_webhook_messages, self.hook, [message.number])
            if not messages:
                await asyncio.sleep(self.poll_interval)
