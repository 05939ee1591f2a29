"""The store of service processes and their leases."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol

from tradewind.model.ids import JobKey


@dataclass(frozen=True, slots=True)
class JobRecord:
    """One life of a service process."""

    job_key: JobKey
    kind: str
    hostname: str
    pid: int
    started_at: datetime
    heartbeat_at: datetime


class Heartbeats(NamedTuple):
    """When a kind of service was last heard of."""

    at: datetime
    of_running_at: datetime | None
    """Of one that has neither stopped nor was declared dead."""


class JobStore(Protocol):
    """The lives of service processes, and their leases."""

    def start(self, kind: str, *, hostname: str, pid: int, now: datetime) -> JobKey:
        """A new life."""

    def heartbeat(self, job_key: JobKey, now: datetime) -> bool:
        """Renew the lease. False: it was declared dead meanwhile and must start a new life."""

    def stop(self, job_key: JobKey, now: datetime) -> None:
        """The end, in good order."""

    def live(self, kind: str) -> list[JobRecord]:
        """Those neither stopped nor declared dead."""

    def all_live(self) -> list[JobRecord]:
        """The same of every kind."""

    def heartbeats(self) -> dict[str, Heartbeats]:
        """By kind, of all that ever lived."""

    def declare_dead(self, silent: Collection[JobRecord], now: datetime) -> set[JobKey]:
        """End the leases of those that were not heard of since these records were read. Returns whose this call
        ended."""
