"""Whether tokens count: whose they are, how old, and whether their attempt is still the latest."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from tradewind.api.auth.signer import TokenRefused
from tradewind.api.execution.tokens import Handed, Running, Supervising, tokens_of
from tradewind.api.services import Services
from tradewind.model.ids import AttemptKey
from tradewind.model.states import TaskState
from tradewind.storage.interface import Transaction
from tradewind.wire.execution import DONE, NOT_KNOWN, TOO_LATE


@dataclass(frozen=True, slots=True)
class Judged:
    """The token of an attempt."""

    status: int
    claimed: Running | None = None
    """Whose it is, if it was signed here."""
    is_old: bool = False

    @property
    def said(self) -> Running | None:
        """The same, if it counts."""
        return self.claimed if self.status == DONE else None


class Judge:
    """Of the tokens that one supervisor sends at one time."""

    def __init__(self, services: Services, supervisor: Supervising, now: datetime) -> None:
        self._services = services
        self._supervisor = supervisor
        self._now = now
        self._tokens = tokens_of(services)

    def attempts(self, tokens: Sequence[str], *, also_expired: bool = False) -> list[Judged]:
        """Of attempts that this supervisor has begun. `also_expired`: who was away may still say how they ended."""
        judged = [self._running(token, also_expired) for token in tokens]
        latest = _latest(self._services, {each.claimed.key for each in judged if each.claimed is not None})
        return [
            Judged(TOO_LATE, each.claimed) if each.said is not None and each.said.key not in latest else each
            for each in judged
        ]

    def handed(self, token: str) -> AttemptKey | None:
        """The attempt that it lets begin."""
        try:
            known = self._tokens.read(token, self._now)
        except TokenRefused:
            return None
        return known.said.key if isinstance(known.said, Handed) and not known.is_expired else None

    def _running(self, token: str, also_expired: bool) -> Judged:
        try:
            known = self._tokens.read(token, self._now)
        except TokenRefused:
            return Judged(NOT_KNOWN)
        said = known.said
        if not isinstance(said, Running) or said.job != self._supervisor.job:
            return Judged(NOT_KNOWN)
        is_good = also_expired or not known.is_expired
        return Judged(DONE if is_good else NOT_KNOWN, said, known.is_old)


def is_waiting(services: Services, attempt: AttemptKey) -> bool:
    """Whether it waits for somebody who begins it."""
    snapshots = services.store.read(lambda tx: tx.tasks.snapshots([attempt.task]))
    return any(each.attempt == attempt.attempt and each.state is TaskState.QUEUED for each in snapshots)


def _latest(services: Services, attempts: Collection[AttemptKey]) -> set[AttemptKey]:
    def work(tx: Transaction) -> set[AttemptKey]:
        snapshots = tx.tasks.snapshots({attempt.task for attempt in attempts})
        return {AttemptKey(*each.key, each.attempt) for each in snapshots} & set(attempts)

    return services.store.read(work) if attempts else set()
