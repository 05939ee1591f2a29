"""Tokens of attempts and of the supervisors that run them.

An executor hands out an attempt with a token that lets its holder begin it, and do nothing else. Who has begun it gets
a token for this one attempt, good for a few minutes and renewed with heartbeats. It counts only together with the token
of the supervisor that began the attempt, which in turn says no more than who that is.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Final

import msgspec

from tradewind.api.auth.signer import Signer, TokenRefused
from tradewind.model.assignment import Asker
from tradewind.model.connection_test import ConnectionTestKey
from tradewind.model.deadline import DeadlineKey
from tradewind.model.deadline_callback import CallbackItem
from tradewind.model.ids import AttemptKey, JobKey, RunKey
from tradewind.settings import Settings

if TYPE_CHECKING:
    from tradewind.api.services import Services

_AUDIENCE: Final = "tradewind.execution"
_PURPOSE: Final = b"tokens of attempts"
_SCOPE: Final = "scope"
_WAITING: Final = timedelta(days=1)
"""How long an attempt may wait for its worker, and how long a supervisor may be away before it is forgotten. Neither
token is worth more than one attempt, or the attempts of one supervisor, that is still under way."""


class Handed(msgspec.Struct, frozen=True, tag_field=_SCOPE, tag="begin", rename={"map_index": "map"}):
    """An attempt that may be begun."""

    run: int
    task: str
    map_index: int
    attempt: int

    @property
    def key(self) -> AttemptKey:
        """Which one."""
        return _key(self)


class Running(msgspec.Struct, frozen=True, tag_field=_SCOPE, tag="run", rename={"map_index": "map"}):
    """An attempt that was begun, and by whom."""

    run: int
    task: str
    map_index: int
    attempt: int
    dag_id: str
    run_id: str
    job: int

    @property
    def key(self) -> AttemptKey:
        """Which one."""
        return _key(self)

    @property
    def asker(self) -> Asker:
        """Who asks when it asks."""
        return Asker(self.key.task, self.dag_id, self.run_id)


class Supervising(msgspec.Struct, frozen=True, tag_field=_SCOPE, tag="supervisor"):
    """One life of a supervisor."""

    job: int
    hostname: str
    pid: int

    @property
    def key(self) -> JobKey:
        """The database's number of that life."""
        return JobKey(self.job)


class Trying(msgspec.Struct, frozen=True, tag_field=_SCOPE, tag="connection-test"):
    """The test of a connection, which its holder may begin, and say what came of it."""

    test: int

    @property
    def key(self) -> ConnectionTestKey:
        """Which one."""
        return ConnectionTestKey(self.test)


class Calling(msgspec.Struct, frozen=True, tag_field=_SCOPE, tag="deadline-callback"):
    """The callback of a missed deadline, which its holder may begin, and say what came of it."""

    deadline: int
    attempt: int

    @property
    def item(self) -> CallbackItem:
        """Which one."""
        return CallbackItem(DeadlineKey(self.deadline), self.attempt)


Said = Handed | Running | Supervising | Trying | Calling


@dataclass(frozen=True, slots=True)
class Known:
    """A token that was signed here, and for this."""

    said: Said
    is_expired: bool
    is_old: bool
    """More than half of its time is over: it should be renewed."""


def lifetime_of(settings: Settings) -> timedelta:
    """How long the token of an attempt counts without a heartbeat: longer than the engine waits for one, and than
    callbacks may run after the last."""
    least = 2 * max(settings.scheduler.task_instance_heartbeat_timeout, settings.workers.callback_timeout)
    return timedelta(seconds=max(settings.execution_api.jwt_expiration_time, least))


def tokens_of(services: "Services") -> "AttemptTokens":
    """Those of a server: signed by the secret of all tokens, and good for nothing else."""
    return AttemptTokens(services.tokens.secret, lifetime_of(services.settings))


class AttemptTokens:
    """Makes and reads them. With the same secret as the tokens of people, and another key and audience."""

    def __init__(self, secret: str, lifetime: timedelta) -> None:
        """`lifetime`: how long the token of an attempt counts without a heartbeat. Raises `SettingsError`."""
        self._signer = Signer(secret, _PURPOSE, _AUDIENCE)
        self._lifetime = lifetime

    def hand_out(self, attempt: AttemptKey, now: datetime) -> str:
        """For who may begin this attempt."""
        return self.make(Handed(attempt.run_key, attempt.task_id, attempt.map_index, attempt.attempt), now)

    def hand_out_test(self, test: ConnectionTestKey, now: datetime) -> str:
        """For who may try out this connection."""
        return self.make(Trying(test), now)

    def hand_out_callback(self, item: CallbackItem, now: datetime) -> str:
        """For who may call this callback."""
        return self.make(Calling(item.key, item.attempt), now)

    def make(self, said: Said, now: datetime) -> str:
        """A token that says so."""
        lifetime = self._lifetime if isinstance(said, Running) else _WAITING
        claims: dict[str, Any] = msgspec.to_builtins(said)
        return self._signer.sign(claims, now, now + lifetime)

    def read(self, token: str, now: datetime) -> Known:
        """What it says, whether it has expired or not.

        Raises:
            TokenRefused: it is none of these tokens.
        """
        claims = self._signer.read(token, (_SCOPE,))
        issued_at, expires_at = self._signer.times(claims, now)
        try:
            said: Said = msgspec.convert(claims, Said)
        except msgspec.ValidationError as error:
            raise TokenRefused(f"Invalid JWT token: {error}") from None
        return Known(said, expires_at <= now, now - issued_at > (expires_at - issued_at) / 2)


def _key(said: Handed | Running) -> AttemptKey:
    return AttemptKey(RunKey(said.run), said.task, said.map_index, said.attempt)
