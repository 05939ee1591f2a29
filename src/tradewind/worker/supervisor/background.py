"""Work that may take long, in threads: the loop hears of its end like of everything else."""

import os
import selectors
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from typing import Final, TypeVar

T = TypeVar("T")
_THREADS: Final = 4


class Background:
    """Runs functions elsewhere, and what follows them in the thread of the loop."""

    def __init__(self, selector: selectors.BaseSelector, threads: int = _THREADS) -> None:
        self._selector = selector
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="background")
        self._finished: deque[Callable[[], None]] = deque()
        self._under_way = 0
        self._reading, self._writing = os.pipe()
        os.set_blocking(self._reading, False)
        os.set_blocking(self._writing, False)
        selector.register(self._reading, selectors.EVENT_READ, self._ready)

    def __len__(self) -> int:
        return self._under_way

    def wake(self) -> None:
        """Make whoever waits at the selector look around. For signal handlers and other threads."""
        with suppress(BlockingIOError):
            os.write(self._writing, b"!")

    def run(
        self, work: Callable[[], T], then: Callable[[T], None], failed: Callable[[Exception], None] | None = None
    ) -> None:
        """Do the work in another thread, and what follows in this one. Work that may fail says what follows then."""
        self._under_way += 1
        self._threads.submit(work).add_done_callback(lambda future: self._note(future, then, failed))

    def close(self) -> None:
        """Wait for what is under way, and do what follows."""
        self._threads.shutdown(wait=True)
        self._ready(0)
        self._selector.unregister(self._reading)
        os.close(self._reading)
        os.close(self._writing)

    def _note(self, future: Future[T], then: Callable[[T], None], failed: Callable[[Exception], None] | None) -> None:
        def finish() -> None:
            self._under_way -= 1
            try:
                result = future.result()
            except Exception as error:  # whatever it is, it is for who asked
                if failed is None:
                    raise
                failed(error)
            else:
                then(result)

        self._finished.append(finish)
        self.wake()

    def _ready(self, _events: int) -> None:
        with suppress(BlockingIOError):
            while os.read(self._reading, 4096):
                pass
        while self._finished:
            self._finished.popleft()()
