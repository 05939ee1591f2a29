"""A supervisor that runs nothing, as a process of its own.

It keeps what it is given until it is told, at its second socket, that an attempt ends. It has the manners that
executors rely on: what it has already is not taken twice, and whoever submitted or asked hears of the end.
"""

import json
import selectors
import signal
import socket
import sys
from pathlib import Path
from typing import Any

from tradewind.model.ids import AttemptKey
from tradewind.model.task import WorkItem
from tradewind.wire.frames import FrameReader, pack
from tradewind.wire.work import WorkKind, decode_attempts, decode_items

SOCKET = "socket"
CONTROL = "control"


class SmallSupervisor:
    """Listens at two sockets of one folder."""

    def __init__(self, folder: Path) -> None:
        self._selector = selectors.DefaultSelector()
        self._work: dict[AttemptKey, WorkItem] = {}
        self._submits = 0
        self._is_mute = False
        self._listeners: dict[AttemptKey, set[socket.socket]] = {}
        self._readers: dict[socket.socket, FrameReader] = {}
        for name in (CONTROL, SOCKET):
            (folder / name).unlink(missing_ok=True)
            listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
            listener.bind(str(folder / name))
            listener.listen(16)
            self._selector.register(listener, selectors.EVENT_READ, name)

    def run(self) -> None:
        """Until killed. What executors said is heard before the test's questions about it are answered."""
        while True:
            ready = sorted(self._selector.select(), key=lambda each: str(each[0].data).startswith(CONTROL))
            for key, _ in ready:
                assert isinstance(key.fileobj, socket.socket)
                if key.data in (SOCKET, CONTROL):
                    self._accept(key.fileobj, key.data)
                elif key.data == f"{CONTROL} connection":
                    self._obey(key.fileobj)
                else:
                    self._hear(key.fileobj)

    def _accept(self, listener: socket.socket, name: str) -> None:
        connection, _ = listener.accept()
        if name == SOCKET:
            self._readers[connection] = FrameReader()
        self._selector.register(connection, selectors.EVENT_READ, f"{name} connection")

    def _hear(self, connection: socket.socket) -> None:
        try:
            data = connection.recv(65536)
        except ConnectionError:
            data = b""
        if not data:
            self._selector.unregister(connection)
            connection.close()
            del self._readers[connection]
            for listeners in self._listeners.values():
                listeners.discard(connection)
            return
        for kind, content in self._readers[connection].feed(data):
            if kind == WorkKind.SUBMIT:
                for item in decode_items(content):
                    self._submits += 1
                    self._work.setdefault(item.attempt, item)
                    self._listeners.setdefault(item.attempt, set()).add(connection)
            elif kind == WorkKind.REVOKE:
                self._end(decode_attempts(content))
            elif kind == WorkKind.ASK:
                held = [attempt for attempt in decode_attempts(content) if attempt in self._work]
                for attempt in held:
                    self._listeners[attempt].add(connection)
                if not self._is_mute:
                    connection.sendall(pack(WorkKind.HELD, held))

    def _end(self, attempts: list[AttemptKey]) -> None:
        for attempt in attempts:
            if self._work.pop(attempt, None) is not None:
                for connection in self._listeners.pop(attempt):
                    connection.sendall(pack(WorkKind.DONE, [attempt]))

    def _obey(self, connection: socket.socket) -> None:
        """One question, one answer, each a line of JSON."""
        line = connection.makefile("rb").readline()
        if not line:
            self._selector.unregister(connection)
            connection.close()
            return
        answer = self._answer(json.loads(line))
        connection.sendall(json.dumps(answer).encode() + b"\n")

    def _answer(self, question: dict[str, Any]) -> Any:
        match question["what"]:
            case "work":
                return [list(item) for item in self._work.values()]
            case "submits":
                return self._submits
            case "end":
                self._end([AttemptKey(*question["attempt"])])
                return True
            case "forget":
                return bool(self._work.pop(AttemptKey(*question["attempt"])))
            case "mute":
                self._is_mute = True
                return True
            case "held":
                for listener in self._readers:
                    listener.sendall(pack(WorkKind.HELD, question["attempts"]))
                return True
            case "nonsense":
                for listener in self._readers:
                    listener.sendall(pack(WorkKind.DONE, {"what": "is this?"}))
                return True
            case unknown:
                raise ValueError(unknown)


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    SmallSupervisor(Path(sys.argv[1])).run()
