"""The runners of a triggerer: one for all triggers, and others for those that are kept apart."""

from collections.abc import Iterator

from tradewind.decide.triggerers import Patience
from tradewind.runtime.clock import Clock
from tradewind.triggerer.runner_host import MakeRunner, RunnerHost


class RunnerHosts:
    """Those in quarantine are there only while they have a trigger."""

    def __init__(self, make_runner: MakeRunner, clock: Clock, patience: Patience) -> None:
        self._make_runner = make_runner
        self._clock = clock
        self._patience = patience
        self.main = RunnerHost(make_runner, clock, patience.longest_block_s)
        self._quarantine: list[RunnerHost] = []

    def __iter__(self) -> Iterator[RunnerHost]:
        return iter([self.main, *self._quarantine])

    def common_quarantine(self) -> RunnerHost:
        """The one for all who disturb others."""
        common = (host for host in self._quarantine if not host.is_solitary)
        return next(common, None) or self._new(is_solitary=False)

    def solitude(self) -> RunnerHost:
        """A new one, for a single trigger."""
        return self._new(is_solitary=True)

    def end_empty(self) -> None:
        """End those in quarantine that have nothing left to run."""
        for host in [each for each in self._quarantine if not each.members]:
            self._quarantine.remove(host)
            host.kill()
            host.close()

    def finish(self) -> None:
        """Let triggers clean up everywhere. Who closes a host waits for it."""
        for host in self:
            host.finish()

    def drop(self) -> None:
        """End all of them, and forget what they had."""
        self.finish()
        for host in self:
            host.close()
        self.main = RunnerHost(self._make_runner, self._clock, self._patience.longest_block_s)
        self._quarantine.clear()

    def next_due(self) -> float | None:
        """When something is to be done for one of them that no signal announces."""
        dues = [each for host in self for each in (host.restart_at, host.gives_way_at)]
        return min((due for due in dues if due is not None), default=None)

    def _new(self, *, is_solitary: bool) -> RunnerHost:
        host = RunnerHost(
            self._make_runner,
            self._clock,
            self._patience.in_quarantine_s,
            is_quarantine=True,
            is_solitary=is_solitary,
        )
        self._quarantine.append(host)
        return host
