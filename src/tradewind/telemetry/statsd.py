"""StatsD over UDP, plain or with the tags of InfluxDB or Datadog."""

import contextlib
import re
import socket
import string
import threading
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import StrEnum
from time import perf_counter
from typing import Any, Final

from tradewind.telemetry.metric import Metric, Tags

_MOST_WAITING: Final = 20_000
"""Lines. What comes faster than the network takes it is lost, the oldest first."""
_MOST_BYTES: Final = 1400
"""Of a datagram: what passes through any network in one piece."""
_GATHERING_S: Final = 0.1
_RESOLVE_EVERY_S: Final = 60.0
_ASK_AGAIN_S: Final = 5.0
_CLOSING_S: Final = 2.0
_LONGEST_NAME: Final = 250
_NAME_CHARACTERS: Final = frozenset(string.ascii_letters + string.digits + "_.-/")
_NOT_IN_DATADOG_TAGS: Final = re.compile(r"[\s,|#]")


class TagStyle(StrEnum):
    """How a line says its tags."""

    NONE = "none"
    """Not at all."""
    INFLUXDB = "influxdb"
    DATADOG = "datadog"


@dataclass(frozen=True, slots=True, kw_only=True)
class StatsdOptions:
    """Where lines go, and what they look like."""

    host: str
    port: int
    prefix: str = ""
    is_ipv6: bool = False
    style: TagStyle = TagStyle.NONE
    has_metric_tags: bool = True
    """Whether a metric's own tags are told at all."""
    constant_tags: tuple[str, ...] = ()
    """In the words of Datadog: `key:value`."""
    disabled_tags: str = ""
    """Regular expressions with commas between them."""
    has_legacy_names: bool = True
    rename: Callable[[str], str] | None = None
    """`stat_name_handler`. Raises for what is no name."""


class StatsdSink:
    """Implements `metric.Sink`. Lines are sent by a thread, many in a datagram; who tells a value never waits."""

    def __init__(self, options: StatsdOptions) -> None:
        self._options = options
        self._disabled = [re.compile(each.strip()) for each in options.disabled_tags.split(",") if each.strip()]
        self._waiting: deque[str] = deque(maxlen=_MOST_WAITING)
        self._has_news = threading.Event()
        self._is_closing = threading.Event()
        self._thread = threading.Thread(target=self._run, name="statsd", daemon=True)
        self._thread.start()

    def count(self, metric: Metric, amount: float, tags: Tags) -> None:
        """See `Sink.count`."""
        self._tell(metric, tags, f"{_number(amount)}|c")

    def gauge(self, metric: Metric, value: float, tags: Tags, *, is_change: bool = False) -> None:
        """See `Sink.gauge`. A sign means a change, so a value below zero is told in two steps."""
        if is_change:
            self._tell(metric, tags, f"{'+' if value >= 0 else ''}{_number(value)}|g")
            return
        if value < 0:
            self._tell(metric, tags, "0|g")
        self._tell(metric, tags, f"{_number(value)}|g")

    def timing(self, metric: Metric, seconds: float, tags: Tags) -> None:
        """See `Sink.timing`. StatsD counts in milliseconds."""
        self._tell(metric, tags, f"{_number(round(seconds * 1000, 3))}|ms")

    def close(self) -> None:
        """See `Sink.close`."""
        self._is_closing.set()
        self._has_news.set()
        self._thread.join(_CLOSING_S)

    def _tell(self, metric: Metric, tags: Tags, value: str) -> None:
        for name, left in self._names(metric, tags):
            line = self._line(name, left, value)
            if line is not None:
                self._waiting.append(line)
        if not self._has_news.is_set():
            self._has_news.set()

    def _names(self, metric: Metric, tags: Tags) -> Iterator[tuple[str, Tags]]:
        yield metric.name, tags
        legacy = metric.legacy_name
        if legacy is None or not self._options.has_legacy_names:
            return
        with contextlib.suppress(KeyError):  # told without the tags that it needs
            name = legacy.format_map({key: value.replace(".", "__") for key, value in tags.items()})
            yield name, {key: value for key, value in tags.items() if f"{{{key}}}" not in legacy}

    def _line(self, name: str, tags: Tags, value: str) -> str | None:
        """None: there can be no such name."""
        options = self._options
        try:
            name = options.rename(name) if options.rename is not None else _checked(name)
        except Exception:  # a handler of names is somebody else's code
            return None
        name = f"{options.prefix}.{name}" if options.prefix else name
        if options.style is TagStyle.NONE:
            return f"{name}:{value}"
        shown = self._shown(tags)
        if options.style is TagStyle.INFLUXDB:
            said = [f",{key}={text}" for key, text in shown.items() if _NAME_CHARACTERS.issuperset(f"{key}{text}")]
            return f"{name}{''.join(said)}:{value}"
        listed = [*options.constant_tags, *(f"{key}:{text}" for key, text in shown.items())]
        said = [_NOT_IN_DATADOG_TAGS.sub("_", each) for each in listed]
        return f"{name}:{value}|#{','.join(said)}" if said else f"{name}:{value}"

    def _shown(self, tags: Tags) -> Tags:
        if not self._options.has_metric_tags:
            return {}
        return {key: text for key, text in tags.items() if not any(each.search(key) for each in self._disabled)}

    # The thread.

    def _run(self) -> None:
        receiver = _Receiver(self._options)
        is_over = False
        while not is_over:
            self._has_news.wait()
            self._is_closing.wait(_GATHERING_S)
            self._has_news.clear()
            is_over = self._is_closing.is_set()  # asked before the last look: what was told until then is sent
            for datagram in self._datagrams():
                receiver.send(datagram)
        receiver.close()

    def _datagrams(self) -> Iterator[bytes]:
        parts: list[bytes] = []
        size = 0
        while True:
            try:
                part = self._waiting.popleft().encode(errors="replace")
            except IndexError:
                break
            if parts and size + len(part) + 1 > _MOST_BYTES:
                yield b"\n".join(parts)
                parts, size = [], 0
            parts.append(part)
            size += len(part) + 1
        if parts:
            yield b"\n".join(parts)


class _Receiver:
    """Where datagrams go. Its address is asked for again from time to time: containers move."""

    def __init__(self, options: StatsdOptions) -> None:
        self._options = options
        self._family = socket.AF_INET6 if options.is_ipv6 else socket.AF_INET
        self._socket = socket.socket(self._family, socket.SOCK_DGRAM)
        self._socket.setblocking(False)
        self._address: Any = None
        self._resolve_at = 0.0

    def send(self, datagram: bytes) -> None:
        """As well as it can be: nobody is told of what gets lost."""
        with contextlib.suppress(OSError):
            self._resolve(perf_counter())
            if self._address is not None:
                self._socket.sendto(datagram, self._address)

    def close(self) -> None:
        """Nothing more is sent."""
        self._socket.close()

    def _resolve(self, now: float) -> None:
        """A name that means nothing is not asked for again at once; what it meant last is good until then."""
        if now < self._resolve_at:
            return
        self._resolve_at = now + _ASK_AGAIN_S
        found = socket.getaddrinfo(self._options.host, self._options.port, self._family, socket.SOCK_DGRAM)
        self._address, self._resolve_at = found[0][4], now + _RESOLVE_EVERY_S


def _checked(name: str) -> str:
    if len(name) > _LONGEST_NAME or not _NAME_CHARACTERS.issuperset(name):
        raise ValueError(name)
    return name


def _number(value: float) -> str:
    return str(int(value)) if value == int(value) else repr(value)
