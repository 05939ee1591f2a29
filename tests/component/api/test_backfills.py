"""`/backfills`: as Airflow's clients ask for them, and how far along they are (B1, B7)."""

import dataclasses
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.component.api.conftest import GUEST, Connect
from tests.component.backfilling import DAILY, daily, december
from tests.component.world import PatientExecutor, World
from tradewind.api.app import make_app
from tradewind.api.auth.access import Action, Level, Principal
from tradewind.api.services import Services
from tradewind.model.dag import Task
from tradewind.model.states import RunType
from tradewind.model.timetable import CronTrigger, Never

BACKFILLS = "/api/v2/backfills"


@pytest.fixture
def any_world(world: World) -> World:
    """What is asked for here does not depend on the database: one kind will do."""
    daily(world, display_name="Sales of all shops")
    return world


def body(dag_id: str = "sales", first: int = 1, last: int = 5, **values: Any) -> dict[str, Any]:
    return {
        "dag_id": dag_id,
        "from_date": december(first).isoformat(),
        "to_date": december(last).isoformat(),
        **values,
    }


def begin(client: TestClient, **values: Any) -> dict[str, Any]:
    answer = client.post(BACKFILLS, json=body(**values))
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_a_backfill_from_its_dry_run_to_its_end(client: TestClient, any_world: World) -> None:
    asked = body(run_backwards=True, dag_run_conf={"n": 1}, max_active_runs=2)
    dry = client.post(f"{BACKFILLS}/dry_run", json=asked).json()
    assert dry["total_entries"] == 5
    assert dry["backfills"][0] == {
        "logical_date": "2025-12-05T00:00:00Z",
        "partition_key": None,
        "partition_date": None,
    }

    made = client.post(BACKFILLS, json=asked).json()
    key = made.pop("id")
    now = "2026-01-01T00:00:00Z"
    assert made == {
        "dag_id": "sales",
        "dag_display_name": "Sales of all shops",
        "from_date": "2025-12-01T00:00:00Z",
        "to_date": "2025-12-05T00:00:00Z",
        "dag_run_conf": {"n": 1},
        "is_paused": False,
        "reprocess_behavior": "none",
        "max_active_runs": 2,
        "created_at": now,
        "completed_at": None,
        "updated_at": now,
    }
    executor = PatientExecutor(any_world.clock)
    any_world.scheduler(executor)
    any_world.settle()
    any_world.clock.advance(30)
    executor.end()
    any_world.settle()

    assert client.get(f"{BACKFILLS}/{key}/progress").json() == {
        "id": key,
        "total": 5,
        "ended": 2,
        "passed_over": 0,
        "to_come": 0,
        "queued": 1,
        "running": 2,
        "succeeded": 2,
        "failed": 0,
        "is_complete": False,
        "remaining_seconds": 60.0,
    }
    for _ in range(2):
        executor.end()
        any_world.settle()
    any_world.pass_time(2)
    assert client.get(f"{BACKFILLS}/{key}").json()["completed_at"] == "2026-01-01T00:00:32Z"
    runs = client.get("/api/v2/dags/sales/dagRuns", params={"run_type": "backfill"}).json()["dag_runs"]
    assert {run["dag_run_id"] for run in runs} == {f"backfill__2025-12-0{day}T00:00:00+00:00" for day in range(1, 6)}
    assert {(run["triggered_by"], run["triggering_user_name"]) for run in runs} == {("backfill", "admin")}
    assert client.post(f"{BACKFILLS}/dry_run", json=asked).json()["total_entries"] == 0


def test_pausing_and_cancelling_show_what_it_is_now(client: TestClient) -> None:
    key = begin(client)["id"]

    for word, is_paused in (("pause", True), ("pause", True), ("unpause", False), ("unpause", False)):
        assert client.put(f"{BACKFILLS}/{key}/{word}").json()["is_paused"] is is_paused
    cancelled = client.put(f"{BACKFILLS}/{key}/cancel").json()

    assert (cancelled["is_paused"], cancelled["completed_at"]) == (True, "2026-01-01T00:00:00Z")
    states = [run["state"] for run in client.get("/api/v2/dags/sales/dagRuns").json()["dag_runs"]]
    assert states == ["failed"] * 5
    for word in ("pause", "unpause", "cancel"):
        answer = client.put(f"{BACKFILLS}/{key}/{word}")
        assert (answer.status_code, answer.json()) == (409, {"detail": f"backfill {key} is already complete"})


def test_those_of_a_dag_are_listed(client: TestClient, any_world: World) -> None:
    daily(any_world, dag_id="stock")
    keys = []
    for first in (1, 6, 11):
        keys.append(begin(client, first=first, last=first + 1)["id"])
        client.put(f"{BACKFILLS}/{keys[-1]}/cancel")
    begin(client, dag_id="stock")

    page = client.get(BACKFILLS, params={"dag_id": "sales", "order_by": "-id", "limit": 2}).json()
    assert ([each["id"] for each in page["backfills"]], page["total_entries"]) == (keys[:0:-1], 3)
    rest = client.get(BACKFILLS, params={"dag_id": "sales", "order_by": "-id", "offset": 2}).json()
    assert [each["id"] for each in rest["backfills"]] == keys[:1]
    assert client.get(BACKFILLS, params={"dag_id": "nothing"}).json() == {"backfills": [], "total_entries": 0}
    assert client.get(BACKFILLS).status_code == 422


def test_only_one_at_a_time(client: TestClient) -> None:
    key = begin(client)["id"]

    answer = client.post(BACKFILLS, json=body(first=8, last=9))

    assert answer.status_code == 409
    assert answer.json()["detail"] == f"DAG 'sales' already has a backfill that is not complete: {key}"


REFUSED: list[tuple[dict[str, Any], int, str]] = [
    (body("nothing"), 404, "there is no DAG 'nothing'"),
    (body("by_hand"), 422, "names no dates to backfill"),
    (body("only_scheduled"), 400, "does not allow backfill runs"),
    (body("past", run_backwards=True), 422, "cannot be backfilled backwards"),
    (body("past"), 422, "set reprocess_behavior"),
    (body(first=5, last=4), 422, "is after to_date"),
    (body(max_active_runs=0), 422, "no run could start"),
    (body(from_date="2999-01-01T00:00:00Z", to_date="2999-01-02T00:00:00Z"), 422, "lies in the future"),
    (body("minutely", from_date="1900-01-01T00:00:00Z"), 422, "more than"),
    (body(reprocess_behavior="all"), 422, "'failed', 'completed' or 'none'"),
    (body(dag_run_conf=[1]), 422, "dictionary"),
    (body(more=1), 422, "Extra inputs"),
    (body(from_date="soon"), 422, "datetime"),
    (body(from_date="0001-01-01T00:00:00+14:00"), 422, "cannot be compared with others"),
    (body(to_date="9999-12-31T23:59:59-14:00"), 422, "cannot be compared with others"),
]


@pytest.mark.parametrize("path", [BACKFILLS, f"{BACKFILLS}/dry_run"])
def test_what_cannot_be_done_is_refused_with_the_reason(
    client: TestClient, any_world: World, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    daily(any_world, dag_id="by_hand", timetable=Never())
    daily(any_world, dag_id="only_scheduled", allowed_run_types=(RunType.SCHEDULED,))
    daily(any_world, Task("load", depends_on_past=True), dag_id="past")
    daily(any_world, dag_id="minutely", timetable=CronTrigger("* * * * *"))
    monkeypatch.setattr("tradewind.decide.backfill.MOST_DATES", 500)  # so that nobody need count further

    for asked, status, text in REFUSED:
        answer = client.post(path, json=asked)

        assert (answer.status_code, text in answer.text) == (status, True), (asked, answer.text)


def test_a_range_without_a_date_is_refused_but_for_the_dry_run(client: TestClient, any_world: World) -> None:
    daily(any_world, dag_id="yearly", timetable=CronTrigger("0 0 1 6 *"))

    assert client.post(f"{BACKFILLS}/dry_run", json=body("yearly")).json() == {"backfills": [], "total_entries": 0}
    answer = client.post(BACKFILLS, json=body("yearly"))
    assert answer.status_code == 422
    assert "has no dates to backfill from 2025-12-01" in answer.json()["detail"]


@pytest.mark.parametrize("key", ["99", str(2**70)])
def test_a_backfill_that_is_not_there(client: TestClient, key: str) -> None:
    answers = [client.get(f"{BACKFILLS}/{key}"), client.get(f"{BACKFILLS}/{key}/progress")]
    answers += [client.put(f"{BACKFILLS}/{key}/{word}") for word in ("pause", "unpause", "cancel")]

    assert [(each.status_code, each.json()["detail"]) for each in answers] == [(404, f"there is no backfill {key}")] * 5
    assert client.get(f"{BACKFILLS}/-1").status_code == 422


def test_each_change_is_in_the_audit_log(client: TestClient) -> None:
    client.post(f"{BACKFILLS}/dry_run", json=body())
    key = begin(client, dag_run_conf={"password": "x"})["id"]
    for word in ("pause", "unpause", "cancel"):
        client.put(f"{BACKFILLS}/{key}/{word}")

    logged = client.get("/api/v2/eventLogs", params={"order_by": "id"}).json()["event_logs"]

    assert [each["event"] for each in logged] == [
        "create_backfill",
        "pause_backfill",
        "unpause_backfill",
        "cancel_backfill",
    ]
    assert (logged[0]["dag_id"], logged[0]["owner"]) == ("sales", "admin")
    assert '"password": "x"' not in logged[0]["extra"]


def test_who_may_change_one_dag_backfills_that_one_only(
    services: Services, client: TestClient, connect: Connect, any_world: World
) -> None:
    """D6: neither by the name of the DAG nor by the number of the backfill."""
    daily(any_world, dag_id="granted", timetable=DAILY)
    theirs = begin(client)["id"]
    everything = Principal("editor", Level.NOBODY, {"granted": frozenset(Action)})
    editor = TestClient(make_app(dataclasses.replace(services, find_principal=lambda _: everything)))
    editor.headers["Authorization"] = f"Bearer {services.tokens.make('editor', services.clock.now())}"

    for path in (BACKFILLS, f"{BACKFILLS}/dry_run"):
        assert editor.post(path, json=body()).status_code == 403
    assert editor.get(BACKFILLS, params={"dag_id": "sales"}).status_code == 403
    assert editor.get(f"{BACKFILLS}/{theirs}").status_code == 404
    assert editor.get(f"{BACKFILLS}/{theirs}/progress").status_code == 404
    assert [editor.put(f"{BACKFILLS}/{theirs}/{word}").status_code for word in ("pause", "cancel")] == [404, 404]
    assert not client.get(f"{BACKFILLS}/{theirs}").json()["is_paused"]

    own = begin(editor, dag_id="granted")["id"]
    assert editor.put(f"{BACKFILLS}/{own}/pause").status_code == 200
    reader = connect(GUEST)
    assert reader.get(f"{BACKFILLS}/{own}").status_code == 200
    assert reader.put(f"{BACKFILLS}/{own}/cancel").status_code == 403
