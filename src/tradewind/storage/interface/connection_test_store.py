"""The store of connections that are to be tried out."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from tradewind.model.connection_test import ConnectionTest, ConnectionTestKey, ConnectionTestState
from tradewind.storage.interface.shared_stores import ConnectionRecord


@dataclass(frozen=True, slots=True, kw_only=True)
class NewConnectionTest:
    """One to come."""

    token_hash: str
    connection: ConnectionRecord
    executor: str | None
    queue: str | None
    saves: bool


class ConnectionTestStore(Protocol):
    """Tests of connections. One that has ended holds no secret any more."""

    def add(self, new: NewConnectionTest, now: datetime) -> ConnectionTest | None:
        """A pending one; None if one of the same connection has not ended."""

    def find(self, token_hash: str) -> ConnectionTest | None:
        """The one that this token is for."""

    def has_pending(self) -> bool:
        """Whether one waits for an executor."""

    def lock_unfinished(self) -> list[ConnectionTest]:
        """All that have not ended. Whoever else asks waits, so that two count the same."""

    def stale(self, before: datetime) -> list[ConnectionTest]:
        """Those that have not ended, and have not changed since then."""

    def connections(self, keys: Collection[ConnectionTestKey]) -> Mapping[ConnectionTestKey, ConnectionRecord]:
        """What these test."""

    def move(
        self,
        keys: Collection[ConnectionTestKey],
        before: ConnectionTestState,
        after: ConnectionTestState,
        now: datetime,
    ) -> list[ConnectionTest]:
        """Those of these that were in one state are now in the other, as returned. Each moves once, whoever asks."""

    def end(self, test: ConnectionTest, after: ConnectionTestState, message: str, now: datetime) -> bool:
        """It has ended, if it still was as given. Whether it was."""

    def reseal(self, records: Sequence[tuple[ConnectionTestKey, ConnectionRecord]]) -> None:
        """Their secrets, encrypted anew."""
