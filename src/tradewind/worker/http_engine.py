"""The engine of a supervisor that has no database: the Execution API of a web server (`worker.engine.Engine`).

Every message can be sent again: the server knows a begin, a result or a question that it had before. So a server that
is away for a while is to the supervisor what a database is that is away.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Protocol, TypeVar

import msgspec

from tradewind.errors import DatabaseUnavailable
from tradewind.model.assignment import WorkOrder
from tradewind.model.attempt_end import AttemptResult
from tradewind.model.exchange import TOLD, Exchange, Exchanged, Refusal, Request, one_by_one
from tradewind.model.ids import AttemptKey
from tradewind.runtime.clock import Clock
from tradewind.wire import execution as wire
from tradewind.worker.questions import CALLS

T = TypeVar("T")
_KEPT_S: Final = 3600.0
"""How long the token of an attempt is kept after its last heartbeat: callbacks still ask."""
_NO_TOKENS: Final = (
    "schedulers hand out no tokens: they need [core] execution_api_server_url, as this worker does,"
    " and [workers] without_database if they start it"
)
_OK: Final = range(200, 300)
_NOT_TAKEN: Final = frozenset({400, 413, 422})
"""It makes no sense to the server, or is too much. What else it, or a proxy in front of it, may say can change."""
_NOT_VOUCHED: Final = frozenset({wire.NOT_KNOWN, wire.TOO_LATE})
_NOT_KNOWN: Final = Refusal("NotAuthorized", "the server knows this worker no longer, so the task may ask for nothing")


class Server(Protocol):
    """See `http_connection.HttpConnection`."""

    def ask(self, method: str, path: str, token: str, body: bytes = b"") -> tuple[int, bytes]:
        """The status and the body of an answer. Raises `DatabaseUnavailable`."""

    def close(self) -> None:
        """Hang up."""


class _Refused(Exception):
    """The server does not take this, however often it is sent."""


@dataclass(slots=True)
class _Held:
    """The token of an attempt."""

    token: str
    heard_at: float


class HttpEngine:
    """Implements `worker.engine.Engine`."""

    def __init__(self, server: Server, clock: Clock, *, hostname: str, pid: int, patience_s: float) -> None:
        """`patience_s`: how long a server that does not know us is believed to be mistaken."""
        self._server = server
        self._clock = clock
        self._life = wire.Life(hostname, pid)
        self._patience_s = patience_s
        self._former: str | None = None
        self._remember: Callable[[str], object] = lambda _: None
        self._token = ""
        self._longest_body = 0
        self._unknown_since: float | None = None
        self._held: dict[AttemptKey, _Held] = {}
        self._sent: list[Request] = []
        """What was sent, and not answered."""

    def start(self, former: str | None, remember: Callable[[str], object]) -> None:
        """See `Engine.start`. Needs no server: the life begins with the first attempt, or when the former is buried."""
        self._former = former
        self._remember = remember

    def exchange(self, given: Exchange) -> Exchanged:
        """See `Engine.exchange`. What the server refuses as a whole is found by sending everything one by one."""
        try:
            return self._exchange(given)
        except _Refused:
            return one_by_one(given, self._try, self._clock.now())

    def heartbeat(self, attempts: Sequence[AttemptKey]) -> set[AttemptKey]:
        """See `Engine.heartbeat`."""
        if not self._token and not self._begin_life(()):
            return set(attempts)
        now = self._clock.monotonic()
        known = [key for key in attempts if key in self._held]
        for key in known:
            self._held[key].heard_at = now
        self._held = {key: held for key, held in self._held.items() if now - held.heard_at < _KEPT_S}
        alive = wire.Alive(tuple(self._held[key].token for key in known))
        try:
            heard = self._ask("/heartbeat", alive, wire.Heard)
        except _Refused as refused:
            raise DatabaseUnavailable(str(refused)) from refused
        if heard.token is not None:
            self._is_known_as(heard.token)
        for key, token in zip(known, heard.tokens, strict=True):
            if token is not None:
                self._held[key].token = token
        going_on = {key for key, status in zip(known, heard.statuses, strict=True) if status == wire.DONE}
        return set(attempts) - going_on

    def stop(self) -> None:
        """See `Engine.stop`. A server that is away hears of it by silence."""
        try:
            if self._token:
                self._server.ask("DELETE", "/supervisor", self._token)
        except DatabaseUnavailable:
            return
        finally:
            self._server.close()

    def _exchange(self, given: Exchange) -> Exchanged:
        if not self._token and given.begins:
            self._begin_life(item.token for item in given.begins)
        known = Exchange(
            [request for request in given.requests if request.attempt in self._held],
            [result for result in given.results if result.report.attempt in self._held],
            given.begins if self._token else [],
        )
        taken = self._send(known) if known else wire.Taken()
        answers = map(_answer, known.requests, taken.answers)
        return Exchanged(
            [next(answers) if request.attempt in self._held else _NOT_KNOWN for request in given.requests],
            [order for begun in taken.begins for order in self._order(begun)],
        )

    def _send(self, given: Exchange) -> wire.Taken:
        message = wire.Given(
            tuple(self._asked(request) for request in given.requests),
            tuple(self._ended(result) for result in given.results),
            tuple(wire.Begin(item.token) for item in given.begins),
        )
        self._sent = [request for request in given.requests if _changes_something(request)]
        try:
            taken = self._ask("/exchange", message, wire.Taken)
        except _Refused:
            self._sent = []  # where there is no answer at all, it may have been done
            raise
        self._sent = []
        return taken

    def _ended(self, result: AttemptResult) -> wire.Ended:
        return wire.Ended(self._held[result.report.attempt].token, wire.encode_result(result))

    def _asked(self, request: Request) -> wire.Asked:
        arguments = CALLS.encode_arguments(request.method, (), request.arguments).decode()
        return wire.Asked(self._held[request.attempt].token, request.method, arguments, request in self._sent)

    def _order(self, begun: wire.Begun) -> Iterable[WorkOrder]:
        order = wire.decode_order(begun.order)
        if order is None:
            return ()
        self._held[order.attempt] = _Held(begun.token, self._clock.monotonic())
        return (order,)

    def _try(self, part: Exchange) -> Exchanged | Refusal:
        try:
            return self._exchange(part)
        except _Refused as refused:
            return Refusal("ValueRefused", str(refused))

    def _begin_life(self, begin_tokens: Iterable[str]) -> bool:
        """Whether somebody vouches for us: our predecessor, or an attempt that was handed to us and waits."""
        body = msgspec.json.encode(self._life)
        for token in (*([] if self._former is None else [self._former]), *begin_tokens):
            if not token:
                raise DatabaseUnavailable(_NO_TOKENS)
            status, answer = self._server.ask("POST", "/supervisor", token, body)
            if status in _OK:
                begun = _decoded(answer, wire.LifeBegun)
                self._former = None
                self._longest_body = begun.longest_body
                self._is_known_as(begun.token)
                return True
            if status not in _NOT_VOUCHED:
                raise _no_answer(status)
        self._former = None
        return False

    def _is_known_as(self, token: str) -> None:
        self._token = token
        self._remember(token)

    def _ask(self, path: str, message: msgspec.Struct, kind: type[T]) -> T:
        try:
            body = msgspec.json.encode(message)
        except ValueError as error:  # half of a character, which JSON as bytes cannot say
            raise _Refused(str(error)) from error
        if len(body) > self._longest_body:
            raise _Refused(f"it takes {len(body)} bytes, and the server reads no more than {self._longest_body}")
        status, answer = self._server.ask("POST", path, self._token, body)
        if status == wire.NOT_KNOWN:
            self._is_unknown()
        self._unknown_since = None
        if status in _OK:
            return _decoded(answer, kind)
        if status in _NOT_TAKEN:
            raise _Refused(f"the server refuses it: {answer.decode(errors='replace')[:200]}")
        raise _no_answer(status)

    def _is_unknown(self) -> None:
        """The server may have the wrong key for a moment. If it stays so, we begin another life."""
        now = self._clock.monotonic()
        self._unknown_since = now if self._unknown_since is None else self._unknown_since
        if now - self._unknown_since >= self._patience_s:
            self._token, self._unknown_since = "", None
            self._held.clear()
        raise _no_answer(wire.NOT_KNOWN)


def _answer(request: Request, answered: wire.Answered) -> object:
    if answered.error_kind is not None:
        return Refusal(answered.error_kind, answered.error)
    return CALLS.decode_answer(request.method, answered.value)


def _changes_something(request: Request) -> bool:
    return request.method not in TOLD and not request.method.startswith(("get_", "count_"))


def _no_answer(status: int) -> DatabaseUnavailable:
    return DatabaseUnavailable(f"the Execution API answers with status {status}")


def _decoded(answer: bytes, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(answer, type=kind)
    except msgspec.MsgspecError as error:
        raise DatabaseUnavailable(f"the Execution API answers what makes no sense: {error}") from error
