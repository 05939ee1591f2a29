"""What the overview, the list of DAGs and the pages of assets show besides lists (D4, D5)."""

from datetime import timedelta

from fastapi.testclient import TestClient

from tests.component.api.conftest import Connect
from tests.component.api.dag_files import store_file
from tests.component.world import World, fails
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
