"""What the overview, the list of DAGs and the pages of assets show besides lists (D4, D5)."""

from datetime import timedelta

import pytest
from fastapi.testclient import TestClient

from tests.component.api.conftest import Connect
from tests.component.api.counted import counted
from tests.component.api.dag_files import store_file
from tests.component.world import World, fails
from tradewind.api.services import Services
from tradewind.model.asset import AssetRef
from tradewind.model.dag import Dag, Task
from tradewind.model.dag_file import FileWarning


def test_failures_are_told_by_dag_and_within_reach(client: TestClient, connect: Connect, any_world: World) -> None:
    before = any_world.clock.now() - timedelta(minutes=1)
    for dag_id in ("granted", "sales"):
        any_world.publish(Dag(dag_id, (Task("a"),)))
        any_world.trigger(dag_id, "r1")
    any_world.scheduler(endings={"a": fails(may_retry=False)})
    any_world.settle()

    answer = client.get("/ui/failures", params={"since": before.isoformat()}).json()
    later = {"since": (any_world.clock.now() + timedelta(minutes=1)).isoformat()}

    assert answer["total_runs"] == 2
    assert {(each["dag_id"], each["number"], each["last_run_id"]) for each in answer["dags"]} == {
        ("granted", 1, "r1"),
        ("sales", 1, "r1"),
    }
    assert client.get("/ui/failures", params=later).json() == {"dags": [], "total_dags": 0, "total_runs": 0}
    of_guest = connect("guest").get("/ui/failures", params={"since": before.isoformat()}).json()
    assert [each["dag_id"] for each in of_guest["dags"]] == ["granted"]
    one = client.get("/ui/failures", params={"since": before.isoformat(), "most": 1}).json()
    assert (len(one["dags"]), one["total_dags"], one["total_runs"]) == (1, 2, 2)
    assert client.get("/ui/failures").status_code == 422


def test_favorites_are_those_of_whoever_asks(client: TestClient, connect: Connect, any_world: World) -> None:
    for dag_id in ("b", "a", "c"):
        any_world.publish(Dag(dag_id, (Task("t"),)))
    for dag_id in ("b", "a"):
        assert client.post(f"/api/v2/dags/{dag_id}/favorite").status_code == 204

    assert client.get("/ui/favorites").json() == {"dag_ids": ["a", "b"]}
    assert connect("viewer").get("/ui/favorites").json() == {"dag_ids": []}


def test_warnings_of_all_kinds_are_listed(client: TestClient, connect: Connect, any_world: World) -> None:
    warned = [FileWarning("reaches_out", "asks a server"), FileWarning("version_inflation", "changes each time")]
    store_file(any_world, "a.py", Dag("sales", (Task("t"),)), warnings=warned)

    found = client.get("/ui/warnings").json()

    assert found["total_entries"] == 2
    assert {(each["dag_id"], each["kind"]) for each in found["warnings"]} == {
        ("sales", "reaches_out"),
        ("sales", "version_inflation"),
    }
    assert client.get("/ui/warnings", params={"dag_id": "other"}).json()["total_entries"] == 0
    assert connect("guest").get("/ui/warnings").json()["total_entries"] == 0


def test_the_graph_of_an_asset_has_what_leads_to_it_and_what_follows(
    client: TestClient, connect: Connect, any_world: World
) -> None:
    raw, clean, other = AssetRef("raw", "s3://raw"), AssetRef("clean", "s3://clean"), AssetRef("other", "s3://other")
    any_world.publish(Dag("load", (Task("t", outlets=(raw, other)),)))
    any_world.publish(Dag("granted", (Task("t", inlets=(raw,), outlets=(clean,)),)))
    any_world.publish(Dag("report", (Task("t", inlets=(clean,)),)))
    any_world.publish(Dag("elsewhere", (Task("t", inlets=(other,)),)))
    ids = {each["name"]: each["id"] for each in client.get("/api/v2/assets").json()["assets"]}

    def shown(who: TestClient, **query: int) -> set[tuple[int, str, str]]:
        graph = who.get("/ui/asset_graph", params=query).json()
        return {(each["asset_id"], each["dag_id"], each["role"]) for each in graph["uses"]}

    assert shown(client, asset_id=ids["clean"]) == {
        (ids["raw"], "load", "outlet"),
        (ids["raw"], "granted", "inlet"),
        (ids["clean"], "granted", "outlet"),
        (ids["clean"], "report", "inlet"),
    }
    assert len(shown(client)) == 6
    assert client.get("/ui/asset_graph", params={"asset_id": 99_999}).json() == {"assets": [], "uses": []}
    assert connect("guest").get("/ui/asset_graph").status_code == 403


def _end_two_and_begin_one(world: World) -> None:
    for dag_id in ("granted", "sales"):
        world.publish(Dag(dag_id, (Task("a"), Task("b", upstream=("a",)))))
        world.trigger(dag_id, "r1")
    world.scheduler(endings={"a": fails(may_retry=False)})
    world.settle()
    world.publish(Dag("goes_on", (Task("c"),)))
    world.trigger("goes_on", "r2")


def test_runs_of_a_period_are_told_by_span_and_state(client: TestClient, connect: Connect, any_world: World) -> None:
    """(A8)"""
    _end_two_and_begin_one(any_world)

    day = client.get("/ui/history/runs").json()
    hour = client.get("/ui/history/runs", params={"period": "1h"}).json()
    of_guest = connect("guest").get("/ui/history/runs").json()

    assert (len(day["spans"]), day["span_seconds"]) == (24, 3600)
    assert (len(hour["spans"]), hour["span_seconds"]) == (12, 300)
    assert day["spans"][-1]["ended"] == hour["spans"][-1]["ended"] == {"failed": 2}
    assert all(span["ended"] == {} for span in day["spans"][:-1])
    assert day["states"] == {"failed": 2, "queued": 1}
    assert of_guest["states"] == {"failed": 1}
    any_world.clock.advance(2 * 3600)
    later = client.get("/ui/history/runs").json()
    assert [span["ended"] for span in later["spans"][-3:]] == [{"failed": 2}, {}, {}]
    assert client.get("/ui/history/runs", params={"period": "1h"}).json()["states"] == {"queued": 1}
    assert client.get("/ui/history/runs", params={"period": "1y"}).status_code == 422


def test_tasks_of_a_period_are_counted_once_in_a_while(client: TestClient, connect: Connect, any_world: World) -> None:
    """(A8) A page that is open all day, in many browsers, counts them twice a minute at most."""
    _end_two_and_begin_one(any_world)

    first = client.get("/ui/history/tasks").json()
    with counted(any_world) as asked:
        again = [client.get("/ui/history/tasks").json() for _ in range(3)]
    of_guest = connect("guest").get("/ui/history/tasks").json()

    assert first == {"states": {"failed": 2, "upstream_failed": 2, "none": 1}}
    assert again == [first] * 3
    assert not any("task_instance" in statement for statement in asked)
    assert of_guest == {"states": {"failed": 1, "upstream_failed": 1}}
    any_world.clock.advance(2 * 3600)
    with counted(any_world) as asked:
        assert client.get("/ui/history/tasks", params={"period": "1h"}).json() == {"states": {"none": 1}}
    assert any("task_instance" in statement for statement in asked)


_LOCAL_SETTINGS = """
from airflow.api_fastapi.common.types import UIAlert
import secrets_of_ours

SOON = "The cluster **moves** on Friday."
raise SystemExit("nobody runs this")
DASHBOARD_UIALERTS = [
    UIAlert(text=SOON, category="warning"),
    UIAlert("Ask <b>Olaf</b>.", "loud"),
    UIAlert("Only for those who run it.", category="error", roles=["Admin"]),
    UIAlert(secrets_of_ours.text()),
]
"""


@pytest.mark.parametrize("folder", ["config", "plugins"])
def test_alerts_are_read_without_running_anything(
    client: TestClient, connect: Connect, services: Services, folder: str
) -> None:
    """(A8) Those of Airflow's local settings, for the roles that they are meant for."""
    assert client.get("/ui/alerts").json() == {"alerts": []}
    path = services.settings.home / folder / "airflow_local_settings.py"
    path.parent.mkdir()
    path.write_text(_LOCAL_SETTINGS)

    shown = [(each["category"], each["text"]) for each in client.get("/ui/alerts").json()["alerts"]]
    of_viewer = [each["text"] for each in connect("viewer").get("/ui/alerts").json()["alerts"]]

    assert shown[:3] == [
        ("warning", "The cluster **moves** on Friday."),
        ("info", "Ask <b>Olaf</b>."),
        ("error", "Only for those who run it."),
    ]
    assert shown[3][0] == "error"
    assert "is not written out" in shown[3][1]
    assert of_viewer == [text for _, text in shown if text != "Only for those who run it."]


def test_local_settings_that_cannot_be_read_say_so(client: TestClient, services: Services) -> None:
    path = services.settings.home / "config" / "airflow_local_settings.py"
    path.parent.mkdir()
    for text, said in (
        ("DASHBOARD_UIALERTS = [", "SyntaxError"),
        ("DASHBOARD_UIALERTS = made()", "`DASHBOARD_UIALERTS`"),
    ):
        path.write_text(text)

        (alert,) = client.get("/ui/alerts").json()["alerts"]

        assert alert["category"] == "error"
        assert said in alert["text"]
    path.write_text("def task_policy(task): pass")
    assert client.get("/ui/alerts").json() == {"alerts": []}
