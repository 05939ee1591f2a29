"""The warm process: it has imported what DAG files need, and forks a child for each file.

`python -P -m tradewind.dag_processor.parse_child.server FD PROCESSES PRELOADS`, with FD one end of a socket pair. It
ends, with all of its children, when the other end is closed. It has one thread and imports no author's file, so forking
is safe.
"""

import gc
import importlib
import os
import resource
import select
import selectors
import signal
import socket
import sys
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NoReturn

import msgspec
import setproctitle
from msgspec import structs

from tradewind.compat import cluster_policies, install
from tradewind.dag_files.fingerprint import hash_bytes
from tradewind.dag_files.load import compiled_files
from tradewind.dag_processor.parse_child.child import read_file, use_less_time_for_rubbish
from tradewind.dag_processor.parse_child.sample import define_sample
from tradewind.dag_processor.protocol import Answer, FrameKind, Loaded, Outcome, ParseRequest, Question
from tradewind.runtime.die_with_parent import die_with_parent
from tradewind.wire.frames import FrameReader, pack

_PRELOADED: Final = (
    *("airflow.sdk", "pendulum", "zoneinfo"),
    *(f"tradewind.sdk.{name}" for name in ("assets", "dag_decorator", "macros", "operator", "param", "schedule")),
    *(f"tradewind.sdk.{name}" for name in ("sensor", "task_groups", "timetables", "variable")),
    *(f"airflow.providers.standard.operators.{name}" for name in ("bash", "empty", "python")),
    *(f"tradewind.sdk.standard.{name}" for name in ("bash", "decorators", "empty", "python", "task_decorators")),
)
"""Whatever is missing here is learnt from the first file that imports it."""
_ANSWER_PATIENCE_S: Final = 5.0
_KEPT_OUTPUT: Final = 16 * 1024
_READ_SIZE: Final = 1024 * 1024
_LOOK_AT_MEMORY_EVERY_S: Final = 0.05
_ROOM_FOR_ADDRESSES_MB: Final = 4096
"""Above the memory limit: libraries reserve addresses that they never use."""
_MOST_COMPILED: Final = 2_000
_HIGHEST_DESCRIPTOR: Final = 65_536
_PAGE: Final = resource.getpagesize()


@dataclass(slots=True)
class _Child:
    """One file being read."""

    pid: int
    request: ParseRequest
    results: int
    output: int
    started: float
    reader: FrameReader = field(default_factory=FrameReader)
    began: bytes | None = None
    ended: bytes | None = None
    kept_output: bytearray = field(default_factory=bytearray)
    output_bytes: int = 0
    is_timed_out: bool = False
    is_too_large: bool = False


class Server:
    """Reads requests from the socket and answers each with an outcome."""

    def __init__(self, control: socket.socket, processes: int, *, preloads: bool) -> None:
        self._control = control
        self._processes = processes
        self._preloads = preloads
        self._reader = FrameReader()
        self._waiting: deque[ParseRequest] = deque()
        self._children: dict[int, _Child] = {}
        self._seen_files: dict[tuple[str, str], int] = {}
        self._tried_modules: set[str] = set()
        self._selector = selectors.DefaultSelector()
        self._is_stopping = False

    def run(self) -> None:
        """Until the other end of the socket is closed."""
        warm_up()
        self._listen_for_ends()
        self._selector.register(self._control, selectors.EVENT_READ, self._hear)
        while not self._is_stopping:
            while self._waiting and len(self._children) < self._processes:
                self._start(self._waiting.popleft())
            for key, _ in self._selector.select(self._until_next_look_s()):
                # Reading one may have ended another.
                if key.fd in self._selector.get_map():
                    key.data()
            self._enforce_limits()
        for child in self._children.values():
            _kill(child.pid)

    def _listen_for_ends(self) -> None:
        """A child that ends interrupts the waiting."""
        reading, writing = os.pipe()
        os.set_blocking(reading, False)
        os.set_blocking(writing, False)
        signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
        signal.signal(signal.SIGCHLD, lambda *_: None)

        def ended() -> None:
            _drain(reading)
            for child in list(self._children.values()):
                pid, status = os.waitpid(child.pid, os.WNOHANG)
                if pid:
                    self._finish(child, os.waitstatus_to_exitcode(status))

        self._selector.register(reading, selectors.EVENT_READ, ended)

    def _hear(self) -> None:
        try:
            data = self._control.recv(_READ_SIZE)
        except ConnectionError:
            data = b""
        if not data:
            self._is_stopping = True
            return
        for kind, content in self._reader.feed(data):
            if kind == FrameKind.ANSWER:
                self._pass_answer(content)
            else:
                self._waiting.append(msgspec.msgpack.decode(content, type=ParseRequest))

    def _pass_answer(self, content: bytes) -> None:
        number = msgspec.msgpack.decode(content, type=Answer).number
        for child in self._children.values():
            if child.request.number == number and not _write_soon(child.results, pack(FrameKind.ANSWER, content)):
                _kill(child.pid)

    def _start(self, request: ParseRequest) -> None:
        results, results_end = (end.detach() for end in socket.socketpair())
        output, output_end = os.pipe()
        sys.stdout.flush()
        sys.stderr.flush()
        pid = os.fork()
        if pid == 0:
            _live(request, results_end, output_end)
        os.close(results_end)
        os.close(output_end)
        child = _Child(pid, request, results, output, time.monotonic())  # noqa: TID251 - nobody fakes time here
        for descriptor, listen in ((results, self._take_results), (output, _take_output)):
            os.set_blocking(descriptor, False)
            self._selector.register(descriptor, selectors.EVENT_READ, self._bound(listen, child, descriptor))
        self._children[pid] = child

    def _bound(self, listen: Callable[[_Child, bytes], None], child: _Child, descriptor: int) -> Callable[[], None]:
        def heard() -> None:
            with suppress(BlockingIOError):
                data = _read(descriptor)
                if data:
                    listen(child, data)
                else:
                    self._selector.unregister(descriptor)

        return heard

    def _take_results(self, child: _Child, data: bytes) -> None:
        try:
            for kind, content in child.reader.feed(data):
                if kind == FrameKind.BEGAN:
                    child.began = content
                elif kind == FrameKind.ENDED:
                    child.ended = content
                elif kind == FrameKind.LOADED:
                    self._learn(msgspec.msgpack.decode(content, type=Loaded))
                elif kind == FrameKind.QUESTION:
                    question = msgspec.msgpack.decode(content, type=Question)
                    self._tell(FrameKind.QUESTION, structs.replace(question, number=child.request.number))
        except (ValueError, msgspec.MsgspecError):
            _kill(child.pid)

    def _finish(self, child: _Child, exit_code: int) -> None:
        """Read what is left in the pipes, end whatever the child left running, and tell."""
        for descriptor, listen in ((child.results, self._take_results), (child.output, _take_output)):
            with suppress(BlockingIOError):
                while data := _read(descriptor):
                    listen(child, data)
            with suppress(KeyError):
                self._selector.unregister(descriptor)
            os.close(descriptor)
        # Whatever it left running; its own number may by now be another process's.
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
        del self._children[child.pid]
        outcome = Outcome(
            number=child.request.number,
            began=child.began,
            ended=child.ended,
            exit_code=exit_code,
            is_timed_out=child.is_timed_out,
            is_too_large=child.is_too_large,
            output=child.kept_output.decode("utf-8", "replace"),
            output_bytes=child.output_bytes,
            duration_ms=round((time.monotonic() - child.started) * 1000),  # noqa: TID251
        )
        self._tell(FrameKind.OUTCOME, outcome)

    def _tell(self, kind: FrameKind, content: object) -> None:
        try:
            self._control.sendall(pack(kind, content))
        except ConnectionError:
            self._is_stopping = True

    def _enforce_limits(self) -> None:
        now = time.monotonic()  # noqa: TID251
        for child in self._children.values():
            age_s = now - child.started
            if age_s >= child.request.timeout_s and not child.is_timed_out:
                child.is_timed_out = True
                _kill(child.pid)
            limit_mb = child.request.memory_limit_mb
            if limit_mb and age_s >= _LOOK_AT_MEMORY_EVERY_S and _resident_mb(child.pid) > limit_mb:
                child.is_too_large = True
                _kill(child.pid)

    def _until_next_look_s(self) -> float | None:
        """Only a file that takes long is looked at again and again."""
        return _LOOK_AT_MEMORY_EVERY_S if self._children else None

    def _learn(self, loaded: Loaded) -> None:
        """Do once here what each child would have to do by itself."""
        for item in loaded.files:
            self._seen_files[item] = self._seen_files.get(item, 0) + 1
            if self._seen_files[item] == 2:
                _compile(*item)
        if len(self._seen_files) > 10 * _MOST_COMPILED:
            self._seen_files.clear()
        if self._preloads:
            for name in loaded.modules:
                if name not in self._tried_modules:
                    self._tried_modules.add(name)
                    _import(name)
            gc.freeze()


def warm_up() -> None:
    """Import what nearly every DAG file needs."""
    install()
    for name in _PRELOADED:
        _import(name)
    define_sample()
    cluster_policies.prepare()
    gc.collect()
    gc.freeze()


def _import(name: str) -> None:
    # What cannot be imported here cannot be imported by the file either, and there the error is told.
    with suppress(Exception, SystemExit):
        importlib.import_module(name)


def _compile(path: str, content_hash: str) -> None:
    with suppress(OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        data = Path(path).read_bytes()
        if hash_bytes(data) == content_hash:
            compiled_files[path, content_hash] = compile(data, path, "exec", dont_inherit=True)
    while len(compiled_files) > _MOST_COMPILED:
        del compiled_files[next(iter(compiled_files))]


def _live(request: ParseRequest, results: int, output: int) -> NoReturn:
    """The child, from its first to its last moment. It returns to nobody."""
    exit_code = os.EX_SOFTWARE
    try:
        os.setsid()
        die_with_parent()
        _leave_the_parents_things(results, output)
        _limit(request)
        use_less_time_for_rubbish()
        setproctitle.setproctitle(f"tradewind: reading {request.path}")
        read_file(request, lambda frame: _write(results, frame), lambda: os.read(results, _READ_SIZE))
        with suppress(Exception):
            sys.stdout.flush()
            sys.stderr.flush()
        exit_code = os.EX_OK
    finally:
        os._exit(exit_code)


def _leave_the_parents_things(results: int, output: int) -> None:
    signal.set_wakeup_fd(-1)
    for number in (signal.SIGCHLD, signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    nothing = os.open(os.devnull, os.O_RDONLY)
    for source, target in ((nothing, 0), (output, 1), (output, 2)):
        os.dup2(source, target)
    os.closerange(3, results)
    os.closerange(results + 1, _HIGHEST_DESCRIPTOR)


def _limit(request: ParseRequest) -> None:
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    # The time limit is kept by the warm process. Should that be killed, what a file forked would run on for ever:
    # nobody knows of it but the kernel, which ends it when it has used more than any file can within its limit.
    most_s = int(request.timeout_s + 1) * (os.cpu_count() or 1) + 1
    with suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_CPU, (most_s, most_s))
    if request.memory_limit_mb:
        # An allocation far beyond the limit fails at once, with a traceback; the rest is watched from outside.
        limit = (request.memory_limit_mb + _ROOM_FOR_ADDRESSES_MB) * 1024 * 1024
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))


def _write(descriptor: int, data: bytes) -> None:
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]


def _write_soon(descriptor: int, data: bytes) -> bool:
    """To a child that waits for it. False: it does not, or is gone."""
    view = memoryview(data)
    while view:
        try:
            view = view[os.write(descriptor, view) :]
        except BlockingIOError:
            if not select.select([], [descriptor], [], _ANSWER_PATIENCE_S)[1]:
                return False
        except OSError:
            return False
    return True


def _read(descriptor: int) -> bytes:
    """Nothing at the end. A child that ends without having heard an answer resets its socket."""
    try:
        return os.read(descriptor, _READ_SIZE)
    except ConnectionError:
        return b""


def _take_output(child: _Child, data: bytes) -> None:
    child.output_bytes += len(data)
    room = _KEPT_OUTPUT - len(child.kept_output)
    if room > 0:
        child.kept_output += data[:room]


def _drain(descriptor: int) -> None:
    with suppress(BlockingIOError):
        while os.read(descriptor, 4096):
            pass


def _kill(pid: int) -> None:
    """The child and all that it started; it is the head of a group of its own, unless it has not come so far."""
    for kill in (os.killpg, os.kill):
        with suppress(ProcessLookupError, PermissionError):
            kill(pid, signal.SIGKILL)


def _resident_mb(pid: int) -> float:
    try:
        pages = Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]
    except (OSError, IndexError):
        return 0.0
    return int(pages) * _PAGE / (1024 * 1024)


def main() -> None:
    """Run the server with the arguments of the process."""
    control = socket.socket(fileno=int(sys.argv[1]))
    # Ended by the other end of the socket, not by the keyboard.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    die_with_parent()
    setproctitle.setproctitle("tradewind: DAG files")
    Server(control, int(sys.argv[2]), preloads=sys.argv[3] == "1").run()


if __name__ == "__main__":
    main()
