"""Triggers that end at once, for tests."""

from collections.abc import AsyncIterator
from typing import Any

from tradewind.sdk.triggers import BaseTrigger, TriggerEvent


class SuccessTrigger(BaseTrigger):
    """Fires at once."""

    def serialize(self) -> tuple[str, dict[str, Any]]:
        return "airflow.triggers.testing.SuccessTrigger", {}

    async def run(self) -> AsyncIterator[TriggerEvent]:
        yield TriggerEvent(True)


class FailureTrigger(BaseTrigger):
    """Fails at once."""

    def serialize(self) -> tuple[str, dict[str, Any]]:
        return "airflow.triggers.testing.FailureTrigger", {}

    async def run(self) -> AsyncIterator[TriggerEvent]:
        # Ends without an event, which is a failure.
        return
        yield
