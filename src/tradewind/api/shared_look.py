"""What many ask for at the same time, looked up once for all of them."""

import asyncio
from collections.abc import Callable
from typing import Generic, TypeVar

Found = TypeVar("Found")


class SharedLook(Generic[Found]):
    """A look that begins after it was asked for: nobody is told what was true before they asked.

    Who asks while a look is under way waits for the next one, with all others who do. So there is never more than one,
    however many ask. For one event loop.
    """

    def __init__(self, look: Callable[[], Found]) -> None:
        """`look` may take its time: a thread calls it."""
        self._look = look
        self._turn = asyncio.Lock()
        self._next: asyncio.Task[Found] | None = None

    async def __call__(self) -> Found:
        """What it finds, or raises."""
        if self._next is None:
            self._next = asyncio.create_task(self._look_in_turn())
        # Who gives up waiting does not end it for the others.
        return await asyncio.shield(self._next)

    async def _look_in_turn(self) -> Found:
        async with self._turn:
            self._next = None
            return await asyncio.get_running_loop().run_in_executor(None, self._look)
