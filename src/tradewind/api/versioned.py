"""Answers that are the same as long as the version of a DAG is, encoded once."""

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Final, TypeVar, cast

from fastapi import Response

T = TypeVar("T")

MOST_BYTES: Final = 8 * 1024 * 1024
"""All tasks of a DAG that has 5,000 take half of it, and 100 ms to put together."""


class VersionedAnswers:
    """The last ones, as many as fit. For finished responses (see `encoded`)."""

    def __init__(self, most_bytes: int = MOST_BYTES) -> None:
        self._most_bytes = most_bytes
        self._known: OrderedDict[Hashable, bytes] = OrderedDict()
        self._bytes = 0
        self._lock = Lock()

    def answer(self, key: Hashable, make: Callable[[], T]) -> T:
        """That of the key, made if it is not known. The key has all that the answer depends on."""
        with self._lock:
            known = self._known.get(key)
            if known is not None:
                self._known.move_to_end(key)
        if known is None:
            known = bytes(cast("Response", make()).body)
            self._keep(key, known)
        return cast("T", Response(known, media_type="application/json"))

    def _keep(self, key: Hashable, body: bytes) -> None:
        with self._lock:
            if key in self._known or len(body) > self._most_bytes:
                return
            self._known[key] = body
            self._bytes += len(body)
            while self._bytes > self._most_bytes:
                _, oldest = self._known.popitem(last=False)
                self._bytes -= len(oldest)
