"""Several processes that serve one page: each tells the others what it counted, so that a scrape gets the whole.

Each has a socket in a folder that only they know. Who is asked for the page asks the others, each time: nothing is
written down, and what a process that died had counted is gone, as when a service starts again.
"""

import contextlib
import json
import os
import socket
import threading
from collections.abc import Iterator, Sequence
from dataclasses import astuple
from pathlib import Path
from typing import Any, Final

from tradewind.telemetry.metric import Metric, MetricKind
from tradewind.telemetry.prometheus import Family, Histogram, Labels, Registry

_PATIENCE_S: Final = 2.0
"""A process that does not answer for so long is left out: better a part than no page."""
_CHUNK: Final = 65_536


class Siblings:
    """The registry of this process for the others, and those of the others for this one."""

    def __init__(self, folder: Path, registry: Registry, name: str | None = None) -> None:
        self._folder = folder
        self._registry = registry
        self._path = folder / f"{name or os.getpid()}.sock"
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._listener.bind(str(self._path))
        self._listener.listen()
        threading.Thread(target=self._tell, name="metrics for siblings", daemon=True).start()

    def others(self) -> list[list[Family]]:
        """What each of the others has counted until now."""
        return [
            families for path in sorted(self._folder.glob("*.sock")) if path != self._path for families in _ask(path)
        ]

    def close(self) -> None:
        """Nobody is told anything any more."""
        self._path.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)  # wakes the thread that waits there
        self._listener.close()

    def _tell(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return  # closed
            with connection, contextlib.suppress(OSError):
                connection.settimeout(_PATIENCE_S)
                connection.sendall(encoded(self._registry.families()))


def _ask(path: Path) -> Iterator[list[Family]]:
    """Nothing from one that is gone, or too busy."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(_PATIENCE_S)
        try:
            connection.connect(str(path))
            parts = []
            while part := connection.recv(_CHUNK):
                parts.append(part)
        except ConnectionRefusedError:
            path.unlink(missing_ok=True)  # killed: it could not clear up after itself
            return
        except OSError:
            return
    with contextlib.suppress(ValueError):  # ended in the middle of a word
        yield decoded(b"".join(parts))


def encoded(families: Sequence[Family]) -> bytes:
    """For the socket."""
    return json.dumps(
        [
            (
                family.name,
                astuple(family.metric),
                list(family.values.items()),
                [(labels, each.counts, each.total) for labels, each in family.histograms.items()],
            )
            for family in families
        ]
    ).encode()


def decoded(text: bytes) -> list[Family]:
    """Raises `ValueError`."""
    return [_family(*each) for each in json.loads(text)]


def _family(name: str, metric: list[Any], values: list[Any], histograms: list[Any]) -> Family:
    metric_name, kind, words, tags, *rest = metric
    return Family(
        name,
        Metric(metric_name, MetricKind(kind), words, tuple(tags), *rest),
        {_labels(labels): value for labels, value in values},
        {_labels(labels): Histogram(counts, total) for labels, counts, total in histograms},
    )


def _labels(pairs: list[list[str]]) -> Labels:
    return tuple((key, value) for key, value in pairs)
