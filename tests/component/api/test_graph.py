"""What depends on what in a DAG, and around it (D4)."""

from typing import Any

from fastapi.testclient import TestClient

from tests.component.api.conftest import Connect
from tests.component.world import World
from tradewind.model.asset import AllAssets, AssetAliasRef, AssetRef
from tradewind.model.dag import Dag, EdgeLabel, Task
from tradewind.model.json_value import JsonValue
from tradewind.model.states import TaskRole

PRICES = AssetRef("prices", "s3://prices")
STOCK = AssetRef("stock", "s3://stock")
PAGES = AssetRef("pages", "s3://pages")


def test_the_graph_shows_what_depends_on_what(client: TestClient, any_world: World) -> None:
    label = EdgeLabel("a", "b", "if it rains")
    any_world.dag(Task("a"), Task("b", upstream=("a",)), Task("c", upstream=("a", "b")), edge_labels=(label,))

    graph = client.get("/ui/graph/sales").json()

    assert [row["node_id"] for row in graph["rows"]] == ["a", "b", "c"]
    edges = {(edge["source"], edge["target"]): edge["label"] for edge in graph["edges"]}
    assert edges == {("a", "b"): "if it rains", ("a", "c"): "", ("b", "c"): ""}
    assert (graph["roles"], graph["outside"], graph["outside_edges"]) == ({}, [], [])
    assert client.get("/ui/graph/nothing").status_code == 404


def test_the_graph_of_an_older_version_is_shown(client: TestClient, any_world: World) -> None:
    """As the runs of that time had it (A8)."""
    any_world.dag(Task("gone"), Task("kept"))
    any_world.trigger()
    any_world.dag(Task("kept"), Task("new"))

    def tasks(version: int) -> list[str]:
        rows = client.get("/ui/graph/sales", params={"version": version}).json()["rows"]
        return [row["node_id"] for row in rows]

    assert (tasks(1), tasks(2)) == (["gone", "kept"], ["kept", "new"])
    unknown = client.get("/ui/graph/sales", params={"version": 3})
    assert (unknown.status_code, unknown.json()["detail"]) == (404, "DAG 'sales' has no version 3")


def test_tasks_that_prepare_and_tidy_up_are_told(client: TestClient, any_world: World) -> None:
    create = Task("create", role=TaskRole.SETUP)
    any_world.dag(create, Task("use", upstream=("create",)), Task("drop", upstream=("use",), role=TaskRole.TEARDOWN))

    assert client.get("/ui/graph/sales").json()["roles"] == {"create": "setup", "drop": "teardown"}


def _publish_shop(world: World) -> None:
    """`catalogue` waits for two assets, of which another DAG updates one; its own is awaited by a third."""
    start: JsonValue = {"arguments": {"trigger_dag_id": "mail"}}
    wait: JsonValue = {"arguments": {"external_dag_id": "granted"}}
    templated: JsonValue = {"arguments": {"trigger_dag_id": "{{ params.which }}"}}
    tasks = (
        Task("build", inlets=(STOCK,), outlets=(PAGES, AssetAliasRef("any"))),
        Task("tell", upstream=("build",), details=start),
        Task("wait", details=wait),
        Task("some", upstream=("wait",), details=templated),
    )
    world.publish(Dag("catalogue", tasks, assets=AllAssets((PRICES, AssetRef(name="stock")))))
    world.publish(Dag("fetch", (Task("a", outlets=(PRICES,)), Task("b", outlets=(STOCK,)))))
    world.publish(Dag("granted", (Task("a"),), assets=PAGES))
    world.publish(Dag("bystander", (Task("a", inlets=(PRICES,)),)))


def _edges(graph: Any) -> set[tuple[str, str]]:
    return {(edge["source"], edge["target"]) for edge in graph["outside_edges"]}


def test_assets_and_dags_around_it_are_told(client: TestClient, any_world: World) -> None:
    """What it waits for and who makes that, what it makes and who waits for that, and DAGs that its tasks name (A8)."""
    _publish_shop(any_world)

    graph = client.get("/ui/graph/catalogue").json()

    assert _edges(graph) == {
        ("dag:fetch", "asset:prices"),
        ("dag:fetch", "asset:stock"),
        ("asset:prices", "schedule:"),
        ("asset:stock", "schedule:"),
        ("schedule:", "build"),
        ("schedule:", "wait"),
        ("asset:stock", "build"),
        ("build", "asset:pages"),
        ("build", "alias:any"),
        ("asset:pages", "dag:granted"),
        ("tell", "dag:mail"),
        ("dag:granted", "wait"),
    }
    nodes = {each["node_id"]: (each["kind"], each["label"]) for each in graph["outside"]}
    assert nodes["schedule:"] == ("schedule", "all of")
    targets = {each["node_id"]: each["target"] for each in graph["outside"]}
    assert targets["dag:fetch"] == "fetch"
    assert targets["alias:any"] is None
    shown = client.get(f"/api/v2/assets/{targets['asset:prices']}").json()
    assert shown["name"] == "prices"


def test_dags_that_somebody_may_not_see_are_not_told_of(connect: Connect, any_world: World) -> None:
    _publish_shop(any_world)

    graph = connect("guest").get("/ui/graph/granted").json()

    assert _edges(graph) == {("asset:pages", "schedule:"), ("schedule:", "a")}
    assert {each["label"] for each in graph["outside"]} == {"pages", "schedule"}
