"""Executors that are connected to this supervisor."""

import contextlib
import os
import selectors
import socket
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Protocol

import msgspec

from tradewind.model.connection_test import ConnectionTestItem
from tradewind.model.deadline_callback import CallbackItem
from tradewind.model.ids import AttemptKey
from tradewind.model.task import WorkItem
from tradewind.wire.frames import FrameReader, pack
from tradewind.wire.work import (
    Stop,
    WorkKind,
    decode_attempts,
    decode_callbacks,
    decode_items,
    decode_stop,
    decode_tests,
)
from tradewind.worker.supervisor.channel import Stream


class Boss(Protocol):
    """What executors may want of a supervisor."""

    def submit(self, work: list[WorkItem]) -> None:
        """Run these."""

    def revoke(self, attempts: list[AttemptKey]) -> None:
        """Do not run these any more."""

    def held(self, attempts: list[AttemptKey]) -> list[AttemptKey]:
        """Which of these are here."""

    def asked_to_stop(self, how: Stop) -> None:
        """End."""

    @property
    def try_connections(self) -> Callable[[list[ConnectionTestItem]], None]:
        """Try these out."""

    @property
    def call_back(self) -> Callable[[list[CallbackItem]], None]:
        """Call these."""


class Clients:
    """Listens at a socket in a folder that only its owner may enter."""

    def __init__(self, path: Path, selector: selectors.BaseSelector, boss: Boss) -> None:
        self._path = path
        self._selector = selector
        self._boss = boss
        self._clients: list[_Client] = []
        # A name that did not exist before appears with a listener behind it: nobody finds one without the other.
        fresh = path.with_name(f"socket.{os.getpid()}")
        fresh.unlink(missing_ok=True)
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(str(fresh))
        self._listener.listen(64)
        self._listener.setblocking(False)
        fresh.rename(path)
        selector.register(self._listener, selectors.EVENT_READ, self._accept)

    def __len__(self) -> int:
        return len(self._clients)

    def done(self, attempts: Iterable[AttemptKey]) -> None:
        """These are no longer here."""
        keys = list(attempts)
        for client in self._clients:
            mine = [key for key in keys if key in client.interests]
            if mine:
                client.interests.difference_update(mine)
                client.send(WorkKind.DONE, mine)

    def say_ending(self) -> None:
        """Nothing more is begun here. Told to each once, also to who comes later."""
        for client in self._clients:
            if not client.knows_the_end:
                client.knows_the_end = True
                client.send(WorkKind.ENDING, [])

    def close(self) -> None:
        """Hang up."""
        self._selector.unregister(self._listener)
        self._listener.close()
        self._path.unlink(missing_ok=True)
        for client in list(self._clients):
            client.close()
        self._clients.clear()

    def _accept(self, _events: int) -> None:
        with contextlib.suppress(BlockingIOError):
            connection, _ = self._listener.accept()
            self._clients.append(_Client(connection, self._selector, self._boss, self._clients.remove))


class _Client:
    """One executor."""

    def __init__(
        self,
        connection: socket.socket,
        selector: selectors.BaseSelector,
        boss: Boss,
        left: Callable[["_Client"], None],
    ) -> None:
        self._boss = boss
        self._left = left
        self._reader = FrameReader()
        self.interests: set[AttemptKey] = set()
        """Of which it wants to know when they are done."""
        self.knows_the_end = False
        self._stream = Stream(connection, selector, self._heard)

    def send(self, kind: WorkKind, attempts: list[AttemptKey]) -> None:
        """Say something."""
        self._stream.send(pack(kind, attempts))

    def close(self) -> None:
        """Hang up."""
        self._stream.close()

    def _heard(self, data: bytes) -> None:
        if not data:
            self._left(self)
            return
        try:
            for kind, content in self._reader.feed(data):
                self._take(kind, content)
        except (ValueError, msgspec.MsgspecError):
            self._stream.close()
            self._left(self)

    def _take(self, kind: int, content: bytes) -> None:
        match kind:
            case WorkKind.SUBMIT:
                work = decode_items(content)
                self.interests.update(item.attempt for item in work)
                self._boss.submit(work)
            case WorkKind.REVOKE:
                self._boss.revoke(decode_attempts(content))
            case WorkKind.ASK:
                held = self._boss.held(decode_attempts(content))
                self.interests.update(held)
                self.send(WorkKind.HELD, held)
            case WorkKind.TEST:
                self._boss.try_connections(decode_tests(content))
            case WorkKind.CALL_BACK:
                self._boss.call_back(decode_callbacks(content))
            case WorkKind.STOP:
                self._boss.asked_to_stop(decode_stop(content))
            case _:
                raise ValueError(f"a frame of kind {kind}")
