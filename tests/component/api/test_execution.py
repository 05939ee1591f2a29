"""The Execution API: what a supervisor with tokens may do, and what nobody may (D1, D3, D4)."""

from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa
from fastapi.testclient import TestClient

from tests.component.api.conftest import Connect
from tests.component.world import PatientExecutor, World
from tradewind.api.execution.tokens import AttemptTokens, Running, Supervising, tokens_of
from tradewind.api.services import Services
from tradewind.errors import DatabaseUnavailable
from tradewind.model.assignment import Asker
from tradewind.model.attempt_end import AttemptResult
from tradewind.model.connection_test import (
    ConnectionTestEnd,
    ConnectionTestItem,
    ConnectionTestKey,
    ConnectionTestOrder,
)
from tradewind.model.dag import Retry, Task
from tradewind.model.exchange import Exchange, Refusal, Request
from tradewind.model.ids import AttemptKey
from tradewind.model.states import TaskState
from tradewind.model.task import Failed, Succeeded, WorkItem
from tradewind.model.task_answers import ConnectionResult
from tradewind.operations.connection_tests import enqueue_test, hand_out_tests
from tradewind.operations.manage_variables import set_variable
from tradewind.secrets.chain import EnvironmentSource, SecretsChain
from tradewind.storage.interface import Transaction
from tradewind.storage.schema import dag_version
from tradewind.worker.http_connection_tests import HttpConnectionTests
from tradewind.worker.http_engine import HttpEngine

Work = dict[str, WorkItem]
NONSENSE = (
    ("drop_tables", "{}"),
    ("find_run", '{"dag_id": "sales", "run_id": "r1"}'),
    ("get_variable", "{}"),
    ("get_variable", '{"key": 1}'),
    ("get_variable", '{"key": "a", "more": 1}'),
    ("get_variable", "nonsense"),
    ("set_task_state", '{"key": "a", "value": "' + "[" * 100_000 + '"}'),
)


@pytest.fixture
def any_world(world: World) -> World:
    """What is asked for here does not depend on the database: one kind will do."""
    return world


class Server:
    """The real application, which may lose answers. Implements `http_engine.Server`."""

    def __init__(self, client: TestClient) -> None:
        self._client = client
        self.loses = 0
        """So many answers are lost, after all was done."""
        self.is_away = False
        self.says: int | None = None
        """This status, and nothing is done."""

    def ask(self, method: str, path: str, token: str, body: bytes = b"") -> tuple[int, bytes]:
        if self.is_away:
            raise DatabaseUnavailable("connection refused")
        if self.says is not None:
            return self.says, b"something"
        headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
        answer = self._client.request(method, f"/execution{path}", content=body, headers=headers)
        if self.loses:
            self.loses -= 1
            raise DatabaseUnavailable("connection lost")
        return answer.status_code, answer.content

    def close(self) -> None:
        """There is nothing to close."""


@pytest.fixture
def server(connect: Connect) -> Server:
    return Server(connect(None))


@pytest.fixture
def executor(world: World) -> PatientExecutor:
    """Two tasks are handed to it: `load`, which may be tried again, and `store`."""
    retry = Retry(retries=3, delay_s=0.0)
    world.dag(Task("load", retry=retry), Task("store"))
    with world.database.engine.begin() as connection:
        connection.execute(sa.update(dag_version).values(bundle_name="files", path="sales.py"))
    world.trigger()
    executor = PatientExecutor(world.clock, starts=False)
    world.scheduler(executor)
    world.settle()
    return executor


@pytest.fixture
def tokens(services: Services) -> AttemptTokens:
    return tokens_of(services)


@pytest.fixture
def work(world: World, executor: PatientExecutor, tokens: AttemptTokens) -> Work:
    """What was handed out, with tokens."""
    return {
        item.attempt.task_id: item._replace(token=tokens.hand_out(item.attempt, world.clock.now()))
        for item in executor.work.values()
    }


@pytest.fixture
def supervise(world: World, server: Server) -> Callable[..., HttpEngine]:
    """Makes supervisors; `remembered` gets what their successors will need."""

    def make(former: str | None = None, remembered: list[str] | None = None) -> HttpEngine:
        engine = HttpEngine(server, world.clock, hostname="there", pid=1, patience_s=60.0)
        kept: list[str] = [] if remembered is None else remembered
        engine.start(former, kept.append)
        return engine

    return make


def begin(engine: HttpEngine, *items: WorkItem) -> list[AttemptKey]:
    return [order.attempt for order in engine.exchange(Exchange(begins=list(items))).orders]


def asked(item: WorkItem, method: str, **arguments: object) -> Request:
    return Request(item.attempt, Asker(item.attempt.task, "sales", "r1"), method, arguments)


def xcom(item: WorkItem, value: object, **changed: object) -> Request:
    place: dict[str, object] = {"dag_id": "sales", "run_id": "r1", "task_id": item.attempt.task_id, "map_index": -1}
    return asked(item, "set_xcom", **{**place, "key": "k", "value": value, **changed})


def succeeded(item: WorkItem, world: World) -> AttemptResult:
    return AttemptResult(report=Succeeded(item.attempt, world.clock.now()))


def values(world: World, item: WorkItem) -> list[Any]:
    with world.database.begin() as tx:
        return [value.value for value in tx.xcoms.of_run(item.attempt.run_key)]


def state(world: World, item: WorkItem) -> TaskState:
    with world.database.begin() as tx:
        (snapshot,) = tx.tasks.snapshots([item.attempt.task])
    return snapshot.state


def test_an_attempt_begins_asks_lives_and_ends(
    world: World, work: Work, supervise: Callable[..., HttpEngine], services: Services
) -> None:
    world.database.transact(
        lambda tx: set_variable(tx, "colour", "blue", cipher=services.cipher, now=world.clock.now())
    )
    services.secrets = SecretsChain([EnvironmentSource({"AIRFLOW_VAR_SHADE": "dark"})])
    engine, load = supervise(), work["load"]

    exchanged = engine.exchange(Exchange(begins=[load]))
    assert [order.attempt for order in exchanged.orders] == [load.attempt]
    assert exchanged.orders[0].assignment.hostname == "there"
    assert engine.heartbeat([load.attempt]) == set()
    questions = [
        asked(load, "get_variable", key="colour"),
        asked(load, "get_variable", key="shade"),
        xcom(load, {"big": 2**80}),
        asked(load, "get_xcom", dag_id="sales", run_id="r1", task_id="load", key="k"),
        asked(load, "get_dag_run_state", dag_id="sales", run_id="r1"),
    ]
    answers = engine.exchange(Exchange(requests=questions)).answers
    assert answers[:3] == ["blue", "dark", None]
    assert answers[3].value == {"big": 2**80}  # type: ignore[attr-defined]
    assert answers[4] == "running"
    engine.exchange(Exchange(results=[succeeded(load, world)]))
    assert state(world, load) is TaskState.SUCCESS
    engine.stop()


def test_a_lost_answer_changes_nothing(
    world: World, work: Work, supervise: Callable[..., HttpEngine], server: Server
) -> None:
    """Everything is sent again, and everything has happened once."""
    engine, load = supervise(), work["load"]
    server.loses = 1
    with pytest.raises(DatabaseUnavailable):  # of the beginning of its life
        begin(engine, load)
    engine.heartbeat([])

    begin(engine, work["store"])
    server.loses = 1
    with pytest.raises(DatabaseUnavailable):
        begin(engine, load)
    assert begin(engine, load) == [load.attempt]

    trigger = Exchange(requests=[asked(load, "trigger_dag_run", dag_id="sales", run_id="made_by_task")])
    server.loses = 1
    with pytest.raises(DatabaseUnavailable):
        engine.exchange(trigger)
    assert engine.exchange(trigger).answers == [True]
    assert engine.exchange(trigger).answers == [False]  # asked for once more, and not because an answer was lost
    assert len(world.runs()) == 2

    end = Exchange(results=[AttemptResult(report=Failed(load.attempt, world.clock.now(), reason="boom"))])
    server.loses = 1
    with pytest.raises(DatabaseUnavailable):
        engine.exchange(end)
    engine.exchange(end)
    with world.database.begin() as tx:
        (task,) = [each for each in tx.tasks.instances(load.attempt.run_key) if each.task_id == "load"]
    assert (task.state, task.try_number, task.reason) == (TaskState.UP_FOR_RETRY, 1, "boom")


def test_who_was_away_for_long_still_says_how_attempts_ended(
    world: World, work: Work, supervise: Callable[..., HttpEngine], server: Server
) -> None:
    """The token has expired; the supervisor that began the attempt is known, and the attempt is still the latest."""
    engine, load = supervise(), work["load"]
    begin(engine, load)
    server.is_away = True
    with pytest.raises(DatabaseUnavailable):
        engine.heartbeat([load.attempt])
    world.clock.advance(7200)
    server.is_away = False

    (late,) = engine.exchange(Exchange(requests=[xcom(load, 1)])).answers
    assert isinstance(late, Refusal)
    assert engine.heartbeat([load.attempt]) == set()  # which renews the token
    assert engine.exchange(Exchange([xcom(load, 1)], [succeeded(load, world)])).answers == [None]
    assert (state(world, load), values(world, load)) == (TaskState.SUCCESS, [1])


def test_nobody_else_begins_what_has_begun(world: World, work: Work, supervise: Callable[..., HttpEngine]) -> None:
    mine, other = supervise(), supervise()
    assert begin(mine, work["load"]) == [work["load"].attempt]

    assert begin(other, work["load"]) == []  # a token that has served vouches for nobody
    assert begin(other, work["store"], work["load"]) == [work["store"].attempt]
    assert begin(mine, work["load"]) == [work["load"].attempt]


def test_an_attempt_that_was_succeeded_by_another_changes_nothing(
    world: World, executor: PatientExecutor, work: Work, supervise: Callable[..., HttpEngine], tokens: AttemptTokens
) -> None:
    """Fenced off by its number: it may neither ask, nor say, nor end, nor live."""
    engine, old = supervise(), work["load"]
    begin(engine, old, work["store"])
    engine.exchange(Exchange(results=[AttemptResult(report=Failed(old.attempt, world.clock.now()))]))
    world.pass_time(1)
    new = executor.submitted[-1]
    assert (new.attempt.task, new.attempt.attempt) == (old.attempt.task, 2)
    begin(engine, new._replace(token=tokens.hand_out(new.attempt, world.clock.now())))

    questions = [asked(old, "get_variable", key="colour"), xcom(old, 1)]
    first, second = engine.exchange(Exchange(questions, [succeeded(old, world)])).answers

    assert isinstance(first, Refusal)
    assert isinstance(second, Refusal)
    assert engine.heartbeat([old.attempt, new.attempt]) == {old.attempt}
    assert begin(engine, old) == []
    assert (state(world, new), values(world, new)) == (TaskState.RUNNING, [])


def test_a_task_that_is_marked_must_stop(world: World, work: Work, supervise: Callable[..., HttpEngine]) -> None:
    engine, load = supervise(), work["load"]
    begin(engine, load)
    world.mark(TaskState.SUCCESS, "load")

    assert engine.heartbeat([load.attempt]) == {load.attempt}
    (late,) = engine.exchange(Exchange(requests=[xcom(load, 1)])).answers
    assert isinstance(late, Refusal)
    assert values(world, load) == []


def test_what_is_refused_spoils_the_success(world: World, work: Work, supervise: Callable[..., HttpEngine]) -> None:
    engine, load, store = supervise(), work["load"], work["store"]
    begin(engine, load, store)

    given = Exchange(
        [xcom(load, 1, task_id="store"), xcom(store, 2)], [succeeded(each, world) for each in (load, store)]
    )
    refusal, fine = engine.exchange(given).answers

    assert isinstance(refusal, Refusal)
    assert fine is None
    assert (state(world, load), state(world, store)) == (TaskState.UP_FOR_RETRY, TaskState.SUCCESS)
    assert values(world, load) == [2]


def test_what_is_too_long_is_refused_alone(
    world: World, work: Work, supervise: Callable[..., HttpEngine], services: Services
) -> None:
    engine, load, store = supervise(), work["load"], work["store"]
    begin(engine, load, store)
    long = "x" * services.settings.api.longest_body

    given = Exchange([xcom(load, long), xcom(store, 2)], [succeeded(each, world) for each in (load, store)])
    refusal, fine = engine.exchange(given).answers

    assert isinstance(refusal, Refusal)
    assert "bytes" in refusal.message
    assert fine is None
    assert (state(world, load), state(world, store)) == (TaskState.UP_FOR_RETRY, TaskState.SUCCESS)


def test_a_successor_fails_what_its_predecessor_had_begun(
    world: World, work: Work, supervise: Callable[..., HttpEngine], server: Server
) -> None:
    remembered: list[str] = []
    begin(supervise(remembered=remembered), work["load"])
    begin(supervise(), work["store"])

    server.is_away = True
    successor = supervise(former=remembered[-1])
    with pytest.raises(DatabaseUnavailable):
        successor.heartbeat([])
    server.is_away = False
    successor.heartbeat([])

    assert (state(world, work["load"]), state(world, work["store"])) == (TaskState.UP_FOR_RETRY, TaskState.RUNNING)


def test_a_server_with_another_key_is_believed_to_be_mistaken_for_a_while(
    world: World, work: Work, supervise: Callable[..., HttpEngine], services: Services
) -> None:
    engine, load = supervise(), work["load"]
    begin(engine, load)
    right, services.tokens.secret = services.tokens.secret, "the secret of somebody else's deployment"
    with pytest.raises(DatabaseUnavailable):
        engine.heartbeat([load.attempt])
    services.tokens.secret = right
    assert engine.heartbeat([load.attempt]) == set()

    services.tokens.secret = "the secret of somebody else's deployment"
    for _ in range(2):
        with pytest.raises(DatabaseUnavailable):
            engine.heartbeat([load.attempt])
        world.clock.advance(120)
    services.tokens.secret = right

    assert engine.heartbeat([load.attempt]) == {load.attempt}
    (late,) = engine.exchange(Exchange([xcom(load, 1)], [succeeded(load, world)])).answers
    assert isinstance(late, Refusal)
    assert begin(engine, work["store"]) == [work["store"].attempt]


def test_what_a_proxy_says_is_no_answer(
    world: World, work: Work, supervise: Callable[..., HttpEngine], server: Server
) -> None:
    """Nor is what nobody can read. Nothing is lost: it is said again."""
    engine, load = supervise(), work["load"]
    for server.says in (200, 404, 500, 503):
        with pytest.raises(DatabaseUnavailable):
            begin(engine, load)
    server.says = None
    begin(engine, load)

    for server.says in (200, 403, 404, 429, 500, 502, 503):
        with pytest.raises(DatabaseUnavailable):
            engine.heartbeat([load.attempt])
        with pytest.raises(DatabaseUnavailable):
            engine.exchange(Exchange(results=[succeeded(load, world)]))
    server.says = None
    engine.exchange(Exchange(results=[succeeded(load, world)]))

    assert state(world, load) is TaskState.SUCCESS


def test_tokens_of_other_attempts_and_supervisors_do_not_count(
    world: World, work: Work, connect: Connect, tokens: AttemptTokens, supervise: Callable[..., HttpEngine]
) -> None:
    """Each of them alone is good for something else."""
    remembered: list[str] = []
    begin(supervise(remembered=remembered), work["load"])
    others: list[str] = []
    begin(supervise(remembered=others), work["store"])
    now, key = world.clock.now(), work["load"].attempt
    claimed = Running(key.run_key, key.task_id, key.map_index, key.attempt, "sales", "r1", 0)
    client = connect(None)
    question = {"method": "get_variable", "arguments": '{"key": "colour"}'}

    for token in (others[-1], work["load"].token, tokens.make(claimed, now), "", "x"):
        client.headers["Authorization"] = f"Bearer {remembered[-1]}"
        answer = client.post("/execution/exchange", json={"requests": [{**question, "token": token}]})
        assert answer.json()["answers"][0]["status"] == 401, token
        answer = client.post("/execution/heartbeat", json={"attempts": [token]})
        assert answer.json()["statuses"] == [401], token

    for token in (work["load"].token, work["store"].token, tokens.make(claimed, now)):
        client.headers["Authorization"] = f"Bearer {token}"
        assert client.post("/execution/exchange", json={}).status_code == 401
        assert client.post("/execution/supervisor", json={"hostname": "x", "pid": 1}).status_code in (401, 409)


def test_what_makes_no_sense_is_refused(
    connect: Connect, world: World, work: Work, supervise: Callable[..., HttpEngine], tokens: AttemptTokens
) -> None:
    """A body in one sentence, a question for itself alone."""
    remembered: list[str] = []
    begin(supervise(remembered=remembered), work["load"])
    supervisor = tokens.read(remembered[-1], world.clock.now()).said
    assert isinstance(supervisor, Supervising)
    key = work["load"].attempt
    said = Running(key.run_key, key.task_id, key.map_index, key.attempt, "sales", "r1", supervisor.job)
    client = connect(None)
    client.headers["Authorization"] = f"Bearer {remembered[-1]}"

    for body in (b"", b"[]", b"{", b'{"requests": 1}', b'{"begins": [{}]}', b'{"results": [{"token": 1}]}'):
        answer = client.post("/execution/exchange", content=body)
        assert answer.status_code == 422, body
        assert isinstance(answer.json()["detail"], str)

    for method, arguments in NONSENSE:
        question = {"token": tokens.make(said, world.clock.now()), "method": method, "arguments": arguments}
        answer = client.post("/execution/exchange", json={"requests": [question]})
        assert (answer.status_code, answer.json()["answers"][0]["status"]) == (200, 422), (method, arguments)


def test_an_expired_token_begins_nothing(world: World, work: Work, supervise: Callable[..., HttpEngine]) -> None:
    world.clock.advance(2 * 86_400)

    assert begin(supervise(), work["load"]) == []
    assert state(world, work["load"]) is TaskState.QUEUED


def test_a_worker_whose_schedulers_hand_out_no_tokens_says_so(work: Work, supervise: Callable[..., HttpEngine]) -> None:
    with pytest.raises(DatabaseUnavailable, match="execution_api_server_url"):
        begin(supervise(), work["load"]._replace(token=""))


def test_who_is_handed_the_test_of_a_connection_may_begin_and_end_that_one(services: Services, server: Server) -> None:
    connection = ConnectionResult(conn_id="c", conn_type="http", password="hushhush")

    def queue(tx: Transaction) -> ConnectionTestKey:
        test = enqueue_test(
            tx,
            connection,
            token_hash="hash",
            executor=None,
            queue=None,
            saves=False,
            cipher=services.cipher,
            now=services.clock.now(),
        )
        hand_out_tests(tx, lambda _: None, 4, services.clock.now())
        return test.key

    key = services.store.transact(queue)
    token = tokens_of(services).hand_out_test(key, services.clock.now())
    tests = HttpConnectionTests(server)

    assert tests.begin([ConnectionTestItem(key, "nonsense")]) == []
    assert tests.begin([ConnectionTestItem(key, token)]) == [ConnectionTestOrder(key, connection)]
    assert tests.begin([ConnectionTestItem(key, token)]) == []
    server.is_away = True
    with pytest.raises(DatabaseUnavailable):
        tests.end([ConnectionTestEnd(key, True, "knows hushhush", 0.5)])
    server.is_away = False
    assert tests.end([ConnectionTestEnd(key, True, "knows hushhush", 0.5)])
    assert server.ask("POST", "/supervisor", token)[0] == 422
    assert server.ask("POST", "/supervisor", token, b'{"hostname": "h", "pid": 1}')[0] == 401
    test = services.store.transact(lambda tx: tx.connection_tests.find("hash"))
    assert test is not None
    assert (test.state, test.message) == ("success", "knows ***")
