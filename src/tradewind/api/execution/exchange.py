"""An exchange with a supervisor elsewhere: each part is judged by its own token, what may be is done together."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

import msgspec

from tradewind.api.execution.calls import CALLS
from tradewind.api.execution.judge import Judge, Judged
from tradewind.api.execution.scope import refusal_of
from tradewind.api.execution.tokens import Running, Supervising, tokens_of
from tradewind.api.services import Services
from tradewind.errors import TradewindError
from tradewind.model.assignment import WorkOrder
from tradewind.model.attempt_end import AttemptResult
from tradewind.model.exchange import Exchange, Refusal, Request, spoiled
from tradewind.model.ids import AttemptKey
from tradewind.model.task import Failed, WorkItem
from tradewind.operations.attempt_engine import StoredEngine
from tradewind.operations.begin_attempts import Beginner
from tradewind.secrets.chain import QUESTIONS
from tradewind.wire import execution as wire

_REFUSALS: Final = {
    wire.NOT_KNOWN: Refusal("NotAuthorized", "the token of this attempt does not count, or no longer"),
    wire.TOO_LATE: Refusal("TaskIsLate", "this attempt is no longer the latest one, so it may ask for nothing"),
}
_OPEN: Final = object()
"""In place of an answer that the engine has to give."""


@dataclass(frozen=True, slots=True)
class _Part:
    """Something that a task asks for or says."""

    request: Request | None
    """None: nobody knows whose it is."""
    answer: object = _OPEN
    status: int = wire.DONE


class RemoteEngine:
    """The engine, for one supervisor that is known by its token."""

    def __init__(self, services: Services, supervisor: Supervising) -> None:
        self._services = services
        self._supervisor = supervisor
        self._now = services.clock.now()
        self._judge = Judge(services, supervisor, self._now)
        self._engine = engine_of(services, supervisor)

    def exchange(self, given: wire.Given) -> wire.Taken:
        """What became of each part."""
        askers = self._judge.attempts([asked.token for asked in given.requests])
        enders = self._judge.attempts([ended.token for ended in given.results], also_expired=True)
        begins = [self._judge.handed(begin.token) for begin in given.begins]
        parts = [self._part(asked, who) for asked, who in zip(given.requests, askers, strict=True)]
        results = [self._result(ended, who.said) for ended, who in zip(given.results, enders, strict=True) if who.said]
        still_open = [part.request for part in parts if part.answer is _OPEN and part.request is not None]
        exchanged = self._engine.exchange(
            Exchange(
                still_open, _kept(parts, results), [_item(key) for key in dict.fromkeys(begins) if key is not None]
            )
        )
        answers = iter(exchanged.answers)
        orders = {order.attempt: order for order in exchanged.orders}
        return wire.Taken(
            tuple(_answered(part, next(answers) if part.answer is _OPEN else part.answer) for part in parts),
            tuple(who.status for who in enders),
            tuple(self._begun(key, orders) for key in begins),
        )

    def heartbeat(self, alive: wire.Alive) -> wire.Heard:
        """Who must stop, and who gets a new token."""
        judged = self._judge.attempts(alive.attempts, also_expired=True)
        living = [who.said.key for who in judged if who.said is not None]
        must_stop = self._engine.heartbeat(living)
        statuses, tokens = [], []
        for who in judged:
            is_over = who.said is None or who.said.key in must_stop
            statuses.append(who.status if who.said is None else wire.TOO_LATE if is_over else wire.DONE)
            tokens.append(self._token(who.said) if who.said is not None and who.is_old and not is_over else None)
        return wire.Heard(tuple(statuses), tuple(tokens))

    def _part(self, asked: wire.Asked, who: Judged) -> _Part:
        if who.claimed is None:
            return _Part(None, _REFUSALS[who.status], who.status)
        request = Request(who.claimed.key, who.claimed.asker, asked.method, {}, asked.is_repeat)
        if who.said is None:
            return _Part(request, _REFUSALS[who.status], who.status)
        try:
            arguments = CALLS.decode_arguments(asked.method, asked.arguments)
        except (ValueError, msgspec.MsgspecError) as error:
            return _Part(request, Refusal(type(error).__name__, str(error)), wire.NO_SENSE)
        request = Request(request.attempt, request.asker, request.method, arguments, request.is_repeat)
        refusal = refusal_of(request)
        if refusal is not None:
            return _Part(request, refusal, wire.NOT_ALLOWED)
        return _Part(request, self._from_outside(request))

    def _from_outside(self, request: Request) -> object:
        """What the secrets backends and the environment of the server know."""
        if request.method not in QUESTIONS:
            return _OPEN
        try:
            found = self._services.secrets.answer(request.method, request.arguments)
        except TradewindError as error:
            return Refusal(type(error).__name__, str(error))
        return _OPEN if found is None else found

    def _result(self, ended: wire.Ended, said: Running) -> AttemptResult:
        try:
            return wire.decode_result(said.key, ended.outcome)
        except (ValueError, msgspec.MsgspecError) as error:
            reason = f"how it ended makes no sense: {error}"
            return AttemptResult(report=Failed(said.key, self._now, reason=reason))

    def _begun(self, key: AttemptKey | None, orders: dict[AttemptKey, WorkOrder]) -> wire.Begun:
        if key is None or key not in orders:
            return wire.Begun(wire.NOT_KNOWN if key is None else wire.TOO_LATE)
        order = orders[key]
        try:
            text = msgspec.Raw(msgspec.json.encode(order))
        except ValueError as error:  # half of a character, which JSON as bytes cannot say
            reason = f"it could not be handed to its worker: {error}"
            self._engine.exchange(Exchange(results=[AttemptResult(report=Failed(key, self._now, reason=reason))]))
            return wire.Begun(wire.NO_SENSE)
        asker = order.asker
        job = self._supervisor.job
        said = Running(key.run_key, key.task_id, key.map_index, key.attempt, asker.dag_id, asker.run_id, job)
        return wire.Begun(wire.DONE, text, self._token(said))

    def _token(self, said: Running) -> str:
        return tokens_of(self._services).make(said, self._now)


def engine_of(services: Services, supervisor: Supervising) -> StoredEngine:
    """That of a supervisor on this machine, which only sits elsewhere."""
    settings = services.settings
    worker = supervisor.key if supervisor.job else None
    return StoredEngine(
        services.store,
        services.clock,
        Beginner(services.structures, hostname=supervisor.hostname, pid=supervisor.pid, worker=worker),
        services.cipher,
        longest_delay_s=settings.core.max_task_retry_delay,
        default_retention=settings.state_store.default_retention,
    )


def begin_life(services: Services, life: wire.Life, former: Supervising | None, now: datetime) -> str:
    """The token of a supervisor that begins. The attempts of the former one fail."""
    unborn = Supervising(0, life.hostname, life.pid)
    job = engine_of(services, unborn).begin_life(None if former is None else former.key)
    return tokens_of(services).make(Supervising(job, life.hostname, life.pid), now)


def _kept(parts: Sequence[_Part], results: list[AttemptResult]) -> list[AttemptResult]:
    """The results; the engine does not see what is refused here, and an attempt that is refused does not succeed."""
    refused = [(part.request, part.answer) for part in parts if part.request and isinstance(part.answer, Refusal)]
    return spoiled(Exchange([request for request, _ in refused], results), [answer for _, answer in refused])


def _item(key: AttemptKey) -> WorkItem:
    """As much of it as is needed to begin: the rest was for its executor."""
    return WorkItem(key, "", "", 0, 0)


def _answered(part: _Part, answer: object) -> wire.Answered:
    if isinstance(answer, Refusal):
        return wire.Answered(status=part.status, error_kind=answer.kind, error=answer.message)
    assert part.request is not None
    try:
        return wire.Answered(CALLS.encode_answer(part.request.method, answer).decode())
    except ValueError as error:  # half of a character, which JSON as bytes cannot say
        return wire.Answered(error_kind=type(error).__name__, error="the answer cannot be sent as UTF-8")
