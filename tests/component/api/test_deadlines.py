"""Deadlines of runs and of DAGs, as the pages ask for them (D4)."""

from datetime import timedelta

from fastapi.testclient import TestClient

from tests.component.world import PatientExecutor, World
from tradewind.model.dag import Dag, Task
from tradewind.model.json_value import JsonValue
from tradewind.operations.publish_dag import publish_dag

ALERTS: list[JsonValue] = [
    {
        "name": "soon",
        "reference": {"reference_type": "DagRunQueuedAtDeadline"},
        "interval": {"seconds": 600.0},
        "callback": {"kind": "SyncCallback", "path": "mine.tell", "kwargs": {}},
    },
    {
        "name": None,
        "reference": {"reference_type": "Custom"},
        "interval": {"variable": "patience"},
        "callback": {"kind": "AsyncCallback", "path": "mine.tell_later", "kwargs": {}},
    },
]


def test_deadlines_of_a_run_are_told_with_what_became_of_them(client: TestClient, any_world: World) -> None:
    """D4."""
    dag = Dag("sales", tasks=(Task("a"),), details={"deadlines": ALERTS}, is_paused_upon_creation=False)
    now = any_world.clock.now()
    with any_world.database.begin() as tx:
        publish_dag(tx, dag, now)
    any_world.scheduler(PatientExecutor(any_world.clock))
    any_world.trigger(run_id="r1")
    any_world.settle()

    before = client.get("/ui/dags/sales/dagRuns/r1/deadlines").json()
    for seconds in (601, 2):
        any_world.pass_time(seconds)
        any_world.settle()
    after = client.get("/ui/dags/sales/dagRuns/r1/deadlines").json()

    assert before["total_entries"] == 2
    assert [(each["alert_name"], each["missed"], each["state"]) for each in before["deadlines"]] == [
        ("soon", False, "ahead"),
        (None, False, "asked"),
    ]
    assert before["deadlines"][0]["deadline_time"] == (now + timedelta(seconds=600)).isoformat().replace("+00:00", "Z")
    assert before["deadlines"][1]["deadline_time"] is None
    # Where nobody could call anything, that is said.
    assert [(each["missed"], each["state"]) for each in after["deadlines"]] == [(True, "failed"), (False, "asked")]
    assert after["deadlines"][0]["message"].startswith("its DAG came from no file")
    assert after["deadlines"][0]["output"] is None
    assert client.get("/ui/dags/sales/dagRuns/gone/deadlines").status_code == 404


def test_deadlines_that_a_dag_declares_are_told(client: TestClient, any_world: World) -> None:
    """D4."""
    with any_world.database.begin() as tx:
        publish_dag(tx, Dag("sales", tasks=(Task("a"),), details={"deadlines": ALERTS}), any_world.clock.now())

    told = client.get("/ui/dags/sales/deadlineAlerts").json()

    assert [(each["name"], each["reference_type"], each["interval"]) for each in told["deadline_alerts"]] == [
        ("soon", "DagRunQueuedAtDeadline", 600.0),
        (None, "Custom", None),
    ]
    assert client.get("/ui/dags/gone/deadlineAlerts").status_code == 404


def test_deadlines_of_all_dags_are_found_by_what_became_of_them(client: TestClient, any_world: World) -> None:
    """D4, E3: `~` stands for all DAGs and runs; a client asks for a page, for the missed ones, or for those to come."""
    now = any_world.clock.now()
    with any_world.database.begin() as tx:
        for dag_id, seconds in (("first", 600.0), ("second", 7_200.0)):
            alert: JsonValue = {
                "name": dag_id,
                "reference": {"reference_type": "DagRunQueuedAtDeadline"},
                "interval": {"seconds": seconds},
                "callback": {"kind": "SyncCallback", "path": "mine.tell", "kwargs": {}},
            }
            dag = Dag(dag_id, tasks=(Task("a"),), details={"deadlines": [alert]}, is_paused_upon_creation=False)
            publish_dag(tx, dag, now)
    any_world.scheduler(PatientExecutor(any_world.clock))
    for dag_id in ("first", "second"):
        any_world.trigger(dag_id, run_id="r1")
    any_world.settle()
    any_world.pass_time(601)
    any_world.settle()

    def names(query: str, path: str = "/ui/dags/~/dagRuns/~/deadlines") -> list[str]:
        return [each["alert_name"] for each in client.get(f"{path}?{query}").json()["deadlines"]]

    assert names("order_by=-deadline_time") == ["second", "first"]
    assert names("missed=true") == ["first"]
    assert names("missed=false") == ["second"]
    assert names("limit=1&offset=1&order_by=deadline_time") == ["second"]
    bound = (now + timedelta(hours=1)).isoformat().replace("+00:00", "Z")
    assert names(f"deadline_time_gte={bound}") == ["second"]
    assert names(f"deadline_time_lte={bound}") == ["first"]
    assert names("", "/ui/dags/second/dagRuns/~/deadlines") == ["second"]
    (found,) = client.get("/ui/dags/first/dagRuns/r1/deadlines").json()["deadlines"]
    assert (found["dag_display_name"], found["dag_run_state"]) == ("first", "running")
    assert client.get("/ui/dags/gone/dagRuns/~/deadlines").status_code == 404
    assert client.get("/ui/dags/~/dagRuns/~/deadlines?order_by=secret").status_code == 400
