"""An operator that is a coroutine. A module of its own: an event loop takes a while to import."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from tradewind.sdk.exceptions import AirflowTaskTimeout
from tradewind.sdk.operator import BaseOperator

if TYPE_CHECKING:
    from tradewind.sdk.context import Context


class BaseAsyncOperator(BaseOperator):
    """An operator that is a coroutine: subclasses write `aexecute`."""

    @property
    def is_async(self) -> bool:
        """Always: it is run in an event loop."""
        return True

    async def aexecute(self, context: Context) -> Any:
        """What the task does."""
        raise NotImplementedError(f"{type(self).__name__} has no aexecute()")

    def execute(self, context: Context) -> Any:
        """Run `aexecute` in an event loop of its own, no longer than `execution_timeout`."""
        return asyncio.run(self._within_time(context))

    async def _within_time(self, context: Context) -> Any:
        limit: timedelta | None = self.execution_timeout
        deadline = asyncio.timeout(None if limit is None else limit.total_seconds())
        try:
            async with deadline:
                return await self.aexecute(context)
        except TimeoutError as timeout:
            if not deadline.expired():
                raise
            raise AirflowTaskTimeout(f"task {self.task_id!r} ran for longer than {limit}") from timeout
