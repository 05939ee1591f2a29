"""Callbacks of missed deadlines for workers that have no database: each by its token (D4)."""

import pytest
from fastapi.testclient import TestClient

from tests.component.api.conftest import Connect
from tests.component.world import World
from tradewind.api.execution.tokens import tokens_of
from tradewind.api.services import Services
from tradewind.errors import DatabaseUnavailable
from tradewind.model.dag_file import FileName, NewVersion
from tradewind.model.deadline import Deadline, DeadlineKey, DeadlineRule, DeadlineState, NewDeadline
from tradewind.model.deadline_callback import CallbackEnd, CallbackItem
from tradewind.model.ids import RunKey
from tradewind.model.run import NewRun
from tradewind.model.states import RunType
from tradewind.model.task_answers import ConnectionResult
from tradewind.operations.manage_connections import put_connections
from tradewind.operations.manage_variables import set_variable
from tradewind.storage.interface import Transaction
from tradewind.worker.http_callbacks import HttpCallbacks

FILE = FileName("dags", "sales.py")


@pytest.fixture
def any_world(world: World) -> World:
    """What is asked for here does not depend on the database: one kind will do."""
    return world


class Server:
    """The real application. Implements `http_engine.Server`."""

    def __init__(self, client: TestClient) -> None:
        self._client = client
        self.is_away = False

    def ask(self, method: str, path: str, token: str, body: bytes = b"") -> tuple[int, bytes]:
        if self.is_away:
            raise DatabaseUnavailable("away")
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        answer = self._client.request(method, f"/execution{path}", headers=headers, content=body)
        return answer.status_code, answer.content

    def close(self) -> None:
        """There is nothing to close."""


@pytest.fixture
def server(connect: Connect) -> Server:
    return Server(connect(None))


def queue(services: Services) -> tuple[RunKey, DeadlineKey]:
    """A deadline whose callback an executor has."""
    now = services.clock.now()

    def work(tx: Transaction) -> tuple[RunKey, DeadlineKey]:
        tx.dags.create("sales", is_paused=False, now=now)
        version = tx.versions.add([NewVersion("sales", "x", "{}", FILE)], now)["sales"]
        run_key = tx.runs.create(NewRun("sales", "r1", RunType.MANUAL, now, version), now)
        rule = DeadlineRule(0, "soon", {}, None, "mine.tell", is_async=False, kwargs={})
        tx.deadlines.add([NewDeadline(run_key=run_key, dag_id="sales", rule=rule, due_at=now)], version, now)
        keys = [each.key for each in tx.deadlines.due(now, 1)]
        tx.deadlines.miss(keys, now)
        tx.deadline_callbacks.hand_out(keys, DeadlineState.QUEUED, now)
        set_variable(tx, "whom", "Ann", cipher=services.cipher, now=now)
        put_connections(tx, [ConnectionResult(conn_id="c", conn_type="http")], cipher=services.cipher, now=now)
        return run_key, keys[0]

    return services.store.transact(work)


def deadline(services: Services, run_key: RunKey) -> Deadline:
    (found,) = services.store.transact(lambda tx: tx.deadlines.of_run(run_key))
    return found


def test_who_is_handed_a_callback_may_begin_ask_for_and_end_that_one(services: Services, server: Server) -> None:
    """D4: and only while it runs."""
    run_key, key = queue(services)
    item = CallbackItem(key, 1, tokens_of(services).hand_out_callback(CallbackItem(key, 1), services.clock.now()))
    callbacks = HttpCallbacks(server, lambda: server)

    assert callbacks.begin([item._replace(token="nonsense")]) == []
    assert server.ask("POST", "/deadline-callback/answer", item.token, b'{"method": "x", "arguments": {}}')[0] == 409
    (order,) = callbacks.begin([item])
    assert callbacks.begin([item]) == []
    assert (order.item, order.file, order.dag_run.run_id) == (CallbackItem(key, 1), FILE, "r1")
    assert callbacks.answer(order.item, "get_variable", {"key": "whom"}) == "Ann"
    assert callbacks.answer(order.item, "get_connection", {"conn_id": "c"}) == ConnectionResult(
        conn_id="c", conn_type="http"
    )
    assert callbacks.answer(order.item, "get_connection", {"conn_id": "d"}) is None
    assert callbacks.answer(order.item, "get_variable_keys", {"prefix": None}) == ["whom"]
    with pytest.raises(ValueError, match="set_variable needs a running task"):
        callbacks.answer(order.item, "set_variable", {"key": "a", "value": "b"})
    assert server.ask("POST", "/deadline-callback/answer", item.token, b'{"method": "x", "arguments": {}}')[0] == 422
    assert callbacks.renew([order.item])
    server.is_away = True
    with pytest.raises(DatabaseUnavailable):
        callbacks.end([CallbackEnd(key, 1, None, "said")])
    server.is_away = False
    assert callbacks.end([CallbackEnd(key, 1, None, "said")])
    assert callbacks.end([CallbackEnd(key, 1, None, "said")])

    ended = deadline(services, run_key)
    assert (ended.state, ended.output) == (DeadlineState.SUCCESS, "said")
    assert server.ask("POST", "/supervisor", item.token, b'{"hostname": "h", "pid": 1}')[0] == 401
    assert server.ask("POST", "/connection-test", item.token)[0] == 401


def test_what_is_given_back_is_for_another_one(services: Services, server: Server) -> None:
    """D4."""
    run_key, key = queue(services)
    item = CallbackItem(key, 1, tokens_of(services).hand_out_callback(CallbackItem(key, 1), services.clock.now()))
    callbacks = HttpCallbacks(server, lambda: server)
    (order,) = callbacks.begin([item])

    assert callbacks.give_back([order.item])

    now = services.clock.now()
    assert [each.key for each in services.store.transact(lambda tx: tx.deadline_callbacks.lapsed(now, 9))] == [key]
    assert deadline(services, run_key).state is DeadlineState.RUNNING
