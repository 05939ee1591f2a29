"""The runners of a triggerer: one for all triggers, or watchers, and others for those that are kept apart."""

from collections.abc import Callable, Iterator
from typing import Any, Generic, TypeVar

from tradewind.triggerer.process_host import HostKind, ProcessHost

H = TypeVar("H", bound=ProcessHost[Any, Any])


class RunnerHosts(Generic[H]):
    """Those in quarantine are there only while they have somebody to run."""

    def __init__(self, make: Callable[[HostKind], H]) -> None:
        self._make = make
        self.main = make(HostKind.MAIN)
        self._quarantine: list[H] = []

    def __iter__(self) -> Iterator[H]:
        return iter([self.main, *self._quarantine])

    def common_quarantine(self) -> H:
        """The one for all who disturb others."""
        common = (host for host in self._quarantine if host.kind is HostKind.QUARANTINE)
        return next(common, None) or self._new(HostKind.QUARANTINE)

    def solitude(self) -> H:
        """A new one, for a single trigger or watcher."""
        return self._new(HostKind.SOLITUDE)

    def end_empty(self) -> None:
        """End those in quarantine that have nothing left to run."""
        for host in [each for each in self._quarantine if not each.members]:
            self._quarantine.remove(host)
            host.kill()
            host.close()

    def finish(self) -> None:
        """Let all clean up everywhere. Who closes a host waits for it."""
        for host in self:
            host.finish()

    def drop(self) -> None:
        """End all of them, and forget what they had."""
        self.finish()
        for host in self:
            host.close()
        self.main = self._make(HostKind.MAIN)
        self._quarantine.clear()

    def next_due(self) -> float | None:
        """When something is to be done for one of them that no signal announces."""
        dues = [each for host in self for each in (host.restart_at, host.gives_way_at)]
        return min((due for due in dues if due is not None), default=None)

    def _new(self, kind: HostKind) -> H:
        host = self._make(kind)
        self._quarantine.append(host)
        return host
