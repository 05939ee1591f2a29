"""What tasks ask people, over the REST API: lists, one, the tries before, and answers (B1, D2, D6)."""

import json
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.component.api.conftest import GUEST, Connect
from tests.component.world import PatientExecutor, World
from tradewind.api.auth.access import Action, Level, Principal
from tradewind.api.services import Services
from tradewind.model.attempt_end import AttemptResult, InputAwaited
from tradewind.model.dag import Task
from tradewind.model.ids import TaskKey, try_id
from tradewind.model.inquiry import Inquiry
from tradewind.model.mapping import FixedLength
from tradewind.model.task import AwaitingInput
from tradewind.model.task_answers import HITLUserResult
from tradewind.operations.settle_attempts import settle_attempts
from tradewind.secrets.encryption import Encryption
from tradewind.telemetry.events import TasksMoved

DAGS = "/api/v2/dags"
ALL = f"{DAGS}/~/dagRuns/~/hitlDetails"
RUN = f"{DAGS}/sales/dagRuns/r1"
YES = {"chosen_options": ["yes"]}
ANN = HITLUserResult("user", "Ann")

one_database = pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)


def of(task_id: str, map_index: int = -1) -> str:
    return f"{RUN}/taskInstances/{task_id}/{map_index}/hitlDetails"


class Asking:
    """A run of tasks that ask: `ship` for one person, `pay` for everybody and with a form, `many` once mapped."""

    def __init__(self, world: World, dag_id: str = "sales") -> None:
        tasks = (Task("ship"), Task("pay", operator="Approve"), Task("many", mapping=FixedLength(2)))
        world.dag(*tasks, dag_id=dag_id)
        world.trigger(dag_id)
        self.world, self.dag_id = world, dag_id
        self.executor = PatientExecutor(world.clock)
        world.scheduler(self.executor)
        world.settle()

    def ask(self, name: str = "ship", **values: Any) -> None:
        """An instance asks, and leaves its worker."""
        attempt = self.executor.attempt(name)
        self.world.clock.advance(1)
        now = self.world.clock.now()
        task = self.world.instances(dag_id=self.dag_id)[name]
        plain = {"options": ("yes", "no"), "subject": f"{name}?", "created_at": now, "try_number": task.try_number}
        waits_for = InputAwaited(next_method="go_on")
        self.executor.revoke([attempt])
        with self.world.database.begin() as tx:
            tx.inquiries.put(Inquiry(attempt=attempt, **{**plain, **values}))
            result = AttemptResult(report=AwaitingInput(attempt, now), waits_for=waits_for)
            settle_attempts(tx, [result], now, self.world.structures, cipher=Encryption())
        self.world.settle()

    def ask_all(self) -> None:
        self.ask("ship", assigned_users=(ANN,), defaults=("no",), body="It is *late*")
        self.ask("pay", multiple=True, params={"n": {"value": 1, "description": None, "schema": {"type": "integer"}}})
        self.ask("many[1]")


@pytest.fixture
def asking(any_world: World) -> Asking:
    return Asking(any_world)


def names(answer: Any) -> list[str]:
    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert found["total_entries"] == len(found["hitl_details"])
    return [each["task_instance"]["task_id"] for each in found["hitl_details"]]


def test_a_question_is_shown_and_answered(asking: Asking, connect: Connect) -> None:
    asking.ask_all()
    run_key = asking.world.run().key
    with asking.world.database.begin() as tx:
        tx.rendered.put({TaskKey(run_key, name): {"subject": f"{name}?"} for name in ("ship", "pay")})
    client = connect("user")

    shown = client.get(of("ship")).json()

    instance = shown.pop("task_instance")
    assert instance["rendered_fields"] == {"subject": "ship?"}
    assert names(client.get(ALL)) == ["many", "pay", "ship"]
    assert (instance["id"], instance["state"]) == (str(try_id("sales", "r1", "ship", -1, 1)), "awaiting_input")
    assert shown == {
        "options": ["yes", "no"],
        "subject": "ship?",
        "body": "It is *late*",
        "defaults": ["no"],
        "multiple": False,
        "params": {},
        "assigned_users": [{"id": "user", "name": "Ann"}],
        "created_at": "2026-01-01T00:00:01Z",
        "responded_by_user": None,
        "responded_at": None,
        "chosen_options": None,
        "params_input": {},
        "response_received": False,
    }
    assert client.patch(of("ship"), json=YES).json() == {
        "responded_by": {"id": "user", "name": "user"},
        "responded_at": "2026-01-01T00:00:03Z",
        "chosen_options": ["yes"],
        "params_input": {},
    }
    asking.world.settle()
    assert asking.executor.attempt("ship").attempt == 2
    after = client.get(of("ship")).json()
    assert (after["response_received"], after["chosen_options"]) == (True, ["yes"])
    assert after["responded_by_user"] == {"id": "user", "name": "user"}


@one_database
def test_only_the_first_answer_counts_and_it_is_audited(asking: Asking, connect: Connect) -> None:
    asking.ask("pay", params={"password": {"value": "", "description": None, "schema": {"type": "string"}}})
    user, admin = connect("user"), connect("admin")

    assert user.patch(of("pay"), json={**YES, "params_input": {"password": "hunter22"}}).status_code == 200
    refused = admin.patch(of("pay"), json=YES)

    assert (refused.status_code, refused.json()) == (409, {"detail": "the question has been answered already"})
    (entry,) = admin.get("/api/v2/eventLogs", params={"dag_id": "sales"}).json()["event_logs"]
    assert (entry["event"], entry["owner"], entry["task_id"]) == ("update_hitl_detail", "user", "pay")
    assert json.loads(entry["extra"])["params_input"] == {"password": "***"}


@one_database
def test_who_is_not_assigned_may_not_answer(asking: Asking, connect: Connect) -> None:
    """D6: not even an administrator; and who may only look may not, whoever is assigned."""
    asking.ask("ship", assigned_users=(ANN, HITLUserResult("viewer", "Vi")))

    for role, status in (("admin", 403), ("op", 403), ("viewer", 403), (None, 401), ("user", 200)):
        assert connect(role).patch(of("ship"), json=YES).status_code == status, role


@one_database
@pytest.mark.parametrize(("granted", "status"), [((), 403), ((Action.READ,), 403), ((Action.READ, Action.EDIT), 200)])
def test_a_dag_may_let_somebody_answer(
    asking: Asking, connect: Connect, services: Services, granted: tuple[Action, ...], status: int
) -> None:
    """D6: as with all that is done to the runs of one DAG."""
    asking.ask("ship")
    services.find_principal = lambda _: Principal(GUEST, Level.NOBODY, {"sales": frozenset(granted)})

    assert connect(GUEST).patch(of("ship"), json=YES).status_code == status


@one_database
def test_what_is_no_answer_is_refused(asking: Asking, client: TestClient) -> None:
    asking.ask_all()
    cases: list[tuple[str, Any, int, str]] = [
        (of("pay"), {"chosen_options": ["maybe"]}, 400, "not among the options"),
        (of("pay"), {"chosen_options": ["yes"], "params_input": {"n": "many"}}, 400, "param n"),
        (of("many", 1), {"chosen_options": ["yes", "no"]}, 400, "only one option"),
        (of("pay"), {"chosen_options": []}, 422, "at least 1"),
        (of("pay"), {"chosen_options": "yes"}, 422, "list"),
        (of("pay"), {}, 422, "chosen_options"),
        (of("none"), YES, 404, "'none'"),
        (of("many", 0), YES, 404, "asks nobody anything"),
        (of("many", 7), YES, 404, "map index 7"),
        (of("pay").replace("r1", "r9"), YES, 404, "'r9'"),
    ]
    for path, body, status, words in cases:
        answer = client.patch(path, json=body)
        assert (answer.status_code, words in answer.text) == (status, True), (path, body, answer.text)
    assert client.get(of("many", 0)).status_code == 404


def test_lists_are_narrowed_and_sorted(asking: Asking, client: TestClient) -> None:
    asking.ask_all()
    client.patch(of("pay"), json={"chosen_options": ["yes", "no"], "params_input": {"n": 2}})

    def listed(path: str = ALL, **parameters: Any) -> list[str]:
        return names(client.get(path, params=parameters))

    assert listed() == ["many", "pay", "ship"]
    assert listed(f"{RUN}/hitlDetails", order_by="created_at") == ["ship", "pay", "many"]
    assert listed(f"{DAGS}/sales/dagRuns/~/hitlDetails", order_by="-created_at") == ["many", "pay", "ship"]
    assert listed(response_received=True) == ["pay"]
    assert listed(response_received=False) == ["many", "ship"]
    assert listed(state="awaiting_input") == ["many", "ship"]
    assert listed(state=["scheduled", "awaiting_input"]) == ["many", "pay", "ship"]
    assert listed(responded_by_user_id=["admin", "x"]) == ["pay"]
    assert listed(responded_by_user_name="x") == []
    assert listed(subject_search="SHI") == ["ship"]
    assert listed(body_search="late") == ["ship"]
    assert listed(task_id="pay") == ["pay"]
    assert listed(task_id_pattern="A") == ["many", "pay"]
    assert listed(task_id_prefix_pattern="sh") == ["ship"]
    assert listed(map_index=1) == ["many"]
    assert listed(dag_id_pattern="ale", limit=50) == ["many", "pay", "ship"]
    assert listed(dag_id_prefix_pattern="x") == []
    assert listed(created_at_gt="2026-01-01T00:00:01Z", created_at_lte="2026-01-01T00:00:02Z") == ["pay"]
    assert client.get(ALL, params={"limit": 1, "offset": 1}).json()["total_entries"] == 3


ORDERS = (
    *("ti_id", "subject", "responded_at", "created_at", "responded_by_user_id", "responded_by_user_name"),
    *("dag_id", "run_id", "task_display_name", "run_after", "rendered_map_index"),
    *("task_instance_operator", "task_instance_state"),
)


def test_all_orders_of_airflow_are_known(asking: Asking, client: TestClient) -> None:
    asking.ask_all()

    for order in ORDERS:
        assert sorted(names(client.get(ALL, params={"order_by": f"-{order}"}))) == ["many", "pay", "ship"], order
    assert names(client.get(ALL, params={"order_by": ["task_instance_operator", "-subject"]}))[0] == "pay"
    assert client.get(ALL, params={"order_by": "params"}).status_code == 200
    assert client.get(ALL, params={"order_by": "nothing"}).status_code == 400
    assert client.get(ALL, params={"order_by": "rendered_fields"}).status_code == 400
    assert client.get(ALL, params={"state": "asleep"}).status_code == 422
    assert client.get(f"{DAGS}/none/dagRuns/~/hitlDetails").status_code == 404
    assert client.get(f"{DAGS}/sales/dagRuns/none/hitlDetails").status_code == 404


def test_earlier_tries_keep_what_they_asked(asking: Asking, client: TestClient) -> None:
    asking.ask("ship", subject="First?")
    client.patch(of("ship"), json=YES)
    asking.world.settle()
    asking.executor.end("ship")
    asking.world.settle()
    asking.world.clear("ship")
    assert client.get(of("ship")).status_code == 404
    assert names(client.get(ALL)) == []
    asking.world.settle()
    asking.ask("ship", subject="Second?")

    first, second = (client.get(f"{of('ship')}/tries/{number}").json() for number in (1, 2))

    assert (first["subject"], first["chosen_options"], first["response_received"]) == ("First?", ["yes"], True)
    assert (first["task_instance"]["try_number"], first["task_instance"]["state"]) == (1, "success")
    assert (second["subject"], second["response_received"]) == ("Second?", False)
    assert (second["task_instance"]["try_number"], second["task_instance"]["state"]) == (2, "awaiting_input")
    assert client.get(f"{of('ship')}/tries/3").status_code == 404
    assert client.get(of("ship")).json()["subject"] == "Second?"


@pytest.mark.parametrize("order", ["created_at", "-created_at", "ti_id", "subject"])
def test_a_task_that_was_cleared_while_it_asked_is_listed_once(asking: Asking, client: TestClient, order: str) -> None:
    """With what it asks in the try that it is at."""
    asking.ask("many[1]")
    asking.ask("ship", subject="First?")
    asking.world.clear("ship")
    asking.world.settle()
    asking.ask("ship", subject="Second?")

    open_ones: dict[str, Any] = {"response_received": False, "state": "awaiting_input", "order_by": order}
    for path in (ALL, f"{RUN}/hitlDetails"):
        found = client.get(path, params=open_ones).json()

        assert sorted(each["subject"] for each in found["hitl_details"]) == ["Second?", "many[1]?"]
        assert found["total_entries"] == 2
        pages = [client.get(path, params={**open_ones, "limit": 1, "offset": n}).json() for n in (0, 1)]
        assert [page["hitl_details"][0] for page in pages] == found["hitl_details"]


@one_database
def test_those_who_watch_are_told(asking: Asking, client: TestClient) -> None:
    """A8: of the wait, and of its end."""
    asking.ask("ship")
    key = TaskKey(asking.world.run().key, "ship")
    asking.world.events.clear()

    client.patch(of("ship"), json=YES)

    told = [event for event in asking.world.told(TasksMoved) if key in event.tasks]
    assert [event.state for event in told] == ["scheduled"]


@one_database
def test_guests_see_questions_of_their_dags_only(any_world: World, connect: Connect) -> None:
    """D6."""
    for dag_id in ("granted", "foreign"):
        Asking(any_world, dag_id).ask("ship")
        any_world.schedulers.clear()

    found = connect(GUEST).get(ALL).json()

    assert [each["task_instance"]["dag_id"] for each in found["hitl_details"]] == ["granted"]
    assert found["total_entries"] == 1


def test_dags_are_found_by_whether_they_ask(asking: Asking, client: TestClient) -> None:
    """(A8) Until somebody has answered."""
    asking.world.dag(Task("quiet"), dag_id="quiet")

    def found(*, is_asking: bool) -> list[str]:
        rows = client.get("/ui/dags", params={"has_pending_actions": is_asking}).json()["dags"]
        return [row["dag_id"] for row in rows]

    assert (found(is_asking=True), found(is_asking=False)) == ([], ["quiet", "sales"])
    asking.ask("ship")
    assert (found(is_asking=True), found(is_asking=False)) == (["sales"], ["quiet"])
    assert client.patch(of("ship"), json=YES).status_code == 200
    assert (found(is_asking=True), found(is_asking=False)) == ([], ["quiet", "sales"])
