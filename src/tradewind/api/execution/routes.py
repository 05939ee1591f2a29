"""The routes under `/execution`. Tokens of people do not count here, nor do those of attempts anywhere else."""

from typing import Annotated, Any, TypeVar

import msgspec
from fastapi import Depends, HTTPException, Request, Response
from fastapi.security import HTTPBearer

from tradewind.api.auth.signer import TokenRefused
from tradewind.api.execution.exchange import RemoteEngine, begin_life, engine_of
from tradewind.api.execution.judge import is_waiting
from tradewind.api.execution.tokens import Calling, Handed, Known, Supervising, Trying, tokens_of
from tradewind.api.operation import Operations
from tradewind.api.services import Given, Services
from tradewind.errors import TradewindError
from tradewind.model.connection_test import ConnectionTestEnd, ConnectionTestItem
from tradewind.model.deadline_callback import CallbackEnd, CallbackItem
from tradewind.operations.connection_test_engine import StoredConnectionTests
from tradewind.operations.deadline_callback_engine import StoredCallbacks
from tradewind.operations.outside_tasks import OutsideTasks
from tradewind.wire import execution as wire

operations = Operations("Execution", prefix="/execution")

T = TypeVar("T")
_ASK = {"WWW-Authenticate": "Bearer"}
_bearer = HTTPBearer(auto_error=False, scheme_name="AttemptToken")
_RESPONSES = {401: "The token does not count here", 409: "Too late", 422: "The body makes no sense"}


async def _body(request: Request) -> bytes:
    return await request.body()


async def _known(services: Given, bearer: Annotated[Any, Depends(_bearer)]) -> Known:
    """The token of the request."""
    now = services.clock.now()
    try:
        known = tokens_of(services).read("" if bearer is None else bearer.credentials, now)
    except TokenRefused as refused:
        raise HTTPException(401, str(refused), headers=_ASK) from None
    if known.is_expired:
        raise HTTPException(401, "Token Expired", headers=_ASK)
    return known


Token = Annotated[Known, Depends(_known)]


async def _supervisor(token: Token) -> Supervising:
    said = token.said
    if not isinstance(said, Supervising):
        raise HTTPException(401, "This is for supervisors that have begun", headers=_ASK)
    return said


Body = Annotated[bytes, Depends(_body)]
Supervisor = Annotated[Supervising, Depends(_supervisor)]


@operations.add("POST", "/supervisor", operation_id="begin_supervisor", need=None, responses=_RESPONSES)
def begin_supervisor(services: Given, token: Token, body: Body) -> Response:
    """Begin the life of a supervisor: with a token to begin an attempt that waits, or with the token of its
    predecessor, which is known to be dead, and whose attempts fail."""
    life, said, now = _decoded(body, wire.Life), token.said, services.clock.now()
    if isinstance(said, Handed):
        if not is_waiting(services, said.key):
            raise HTTPException(409, "This attempt was called off, or has begun")
        own = begin_life(services, life, None, now)
    elif isinstance(said, Supervising):
        own = begin_life(services, life, said, now)
    else:
        raise HTTPException(401, "An attempt that has begun has a supervisor", headers=_ASK)
    return _encoded(wire.LifeBegun(own, services.settings.api.longest_body))


@operations.add("DELETE", "/supervisor", operation_id="end_supervisor", need=None, status=204, responses=_RESPONSES)
def end_supervisor(services: Given, supervisor: Supervisor) -> None:
    """End the life of a supervisor, in good order."""
    engine_of(services, supervisor).stop()


@operations.add("POST", "/exchange", operation_id="exchange", need=None, responses=_RESPONSES)
def exchange(services: Given, supervisor: Supervisor, body: Body) -> Response:
    """Begin attempts, answer what tasks ask for, store how attempts ended. Each part has its own token and status."""
    return _encoded(RemoteEngine(services, supervisor).exchange(_decoded(body, wire.Given)))


@operations.add("POST", "/heartbeat", operation_id="heartbeat", need=None, responses=_RESPONSES)
def heartbeat(services: Given, token: Token, supervisor: Supervisor, body: Body) -> Response:
    """These attempts run. Says which of them must stop, and renews their tokens."""
    heard = RemoteEngine(services, supervisor).heartbeat(_decoded(body, wire.Alive))
    own = tokens_of(services).make(supervisor, services.clock.now()) if token.is_old else None
    return _encoded(msgspec.structs.replace(heard, token=own))


async def _trying(token: Token) -> Trying:
    if not isinstance(token.said, Trying):
        raise HTTPException(401, "This is for who was handed the test of a connection", headers=_ASK)
    return token.said


Test = Annotated[Trying, Depends(_trying)]


@operations.add("POST", "/connection-test", operation_id="begin_connection_test", need=None, responses=_RESPONSES)
def begin_connection_test(services: Given, test: Test) -> Response:
    """Begin the test of a connection. Says what to test, once."""
    orders = _tests(services).begin([ConnectionTestItem(test.key)])
    if not orders:
        raise HTTPException(409, "This test was begun before, or given up")
    return Response(msgspec.json.encode(orders[0]), media_type="application/json")


@operations.add(
    "PATCH", "/connection-test", operation_id="end_connection_test", need=None, status=204, responses=_RESPONSES
)
def end_connection_test(services: Given, test: Test, body: Body) -> None:
    """What came of the test of a connection. If it was given up meanwhile, nothing."""
    _tests(services).end([_decoded(body, ConnectionTestEnd)._replace(key=test.key)])


async def _calling(token: Token) -> CallbackItem:
    if not isinstance(token.said, Calling):
        raise HTTPException(401, "This is for who was handed the callback of a deadline", headers=_ASK)
    return token.said.item


Callback = Annotated[CallbackItem, Depends(_calling)]


@operations.add("POST", "/deadline-callback", operation_id="begin_deadline_callback", need=None, responses=_RESPONSES)
def begin_deadline_callback(services: Given, item: Callback) -> Response:
    """Begin the callback of a missed deadline. Says what to call, once."""
    orders = _callbacks(services).begin([item])
    if not orders:
        raise HTTPException(409, "This callback was begun before, or given to another worker")
    return Response(msgspec.json.encode(orders[0]), media_type="application/json")


@operations.add(
    "PUT", "/deadline-callback", operation_id="renew_deadline_callback", need=None, status=204, responses=_RESPONSES
)
def renew_deadline_callback(services: Given, item: Callback, body: Body) -> None:
    """It is still being called, or is not any more, so that another worker may have it."""
    callbacks = _callbacks(services)
    if _decoded(body, wire.StillThere).is_held:
        callbacks.renew([item])
    else:
        callbacks.give_back([item])


@operations.add(
    "PATCH", "/deadline-callback", operation_id="end_deadline_callback", need=None, status=204, responses=_RESPONSES
)
def end_deadline_callback(services: Given, item: Callback, body: Body) -> None:
    """What came of the callback of a missed deadline. If another worker has it meanwhile, nothing."""
    _callbacks(services).end([_decoded(body, CallbackEnd)._replace(key=item.key, attempt=item.attempt)])


@operations.add(
    "POST", "/deadline-callback/answer", operation_id="answer_deadline_callback", need=None, responses=_RESPONSES
)
def answer_deadline_callback(services: Given, item: Callback, body: Body) -> Response:
    """What the callback of a missed deadline asks for, while it is being called: variables and connections."""
    asked = _decoded(body, wire.OutsideQuestion)
    if not services.store.read(lambda tx: tx.deadline_callbacks.is_held(item)):
        raise HTTPException(409, "This callback has ended, or was given to another worker")
    try:
        found = _callbacks(services).answer(item, asked.method, asked.arguments)
    except (TradewindError, ValueError, KeyError) as error:
        raise HTTPException(422, f"{type(error).__name__}: {error}") from None
    return Response(msgspec.json.encode(found), media_type="application/json")


def _callbacks(services: Services) -> StoredCallbacks:
    lease_s = services.settings.scheduler.task_instance_heartbeat_timeout
    answer = OutsideTasks(services.store, services.cipher)
    return StoredCallbacks(services.store, services.clock, answer, lease_s=lease_s)


def _tests(services: Services) -> StoredConnectionTests:
    return StoredConnectionTests(services.store, services.clock, services.cipher, services.masking)


def _decoded(body: bytes, kind: type[T]) -> T:
    try:
        return msgspec.json.decode(body, type=kind)
    except msgspec.MsgspecError as error:
        raise HTTPException(422, str(error)) from None


def _encoded(answer: msgspec.Struct) -> Response:
    return Response(msgspec.json.encode(answer), media_type="application/json")
