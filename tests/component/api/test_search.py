"""Tasks of all DAGs are found by their names (A8)."""

from fastapi.testclient import TestClient

from tests.component.api.conftest import Connect
from tests.component.world import World
from tradewind.model.dag import Dag, Task, TaskGroup
from tradewind.model.dag_file import NewVersion


def _found(client: TestClient, text: str, **more: int) -> list[tuple[str, str]]:
    answer = client.get("/ui/tasks", params={"text": text, **more})
    assert answer.status_code == 200, answer.text
    return [(task["dag_id"], task["node_id"]) for task in answer.json()["tasks"]]


def _publish(world: World) -> None:
    world.publish(Dag("sales", (Task("load"), Task("reload"), Task("pre_load"))))
    world.publish(
        Dag(
            "stock",
            (Task("within.load", group_id="within"), Task("x", display_name="Überladen")),
            groups=(TaskGroup("within", display_name="Loading dock"),),
        )
    )
    world.publish(Dag("granted", (Task("loader"),)))


def test_those_called_so_come_first_then_those_that_begin_so(client: TestClient, any_world: World) -> None:
    _publish(any_world)

    assert _found(client, "load") == [
        ("sales", "load"),
        ("stock", "within.load"),
        ("granted", "loader"),
        ("stock", "within"),
        ("sales", "pre_load"),
        ("sales", "reload"),
    ]
    assert _found(client, "LOAD", limit=1) == [("sales", "load")]
    assert _found(client, "überl") == [("stock", "x")]
    assert _found(client, "nothing") == []


def test_words_may_be_of_the_dag_but_one_is_of_the_task(client: TestClient, any_world: World) -> None:
    _publish(any_world)

    assert _found(client, "stock load") == [("stock", "within.load"), ("stock", "within")]
    assert _found(client, "sales") == []


def test_a_group_and_its_label_are_told(client: TestClient, any_world: World) -> None:
    _publish(any_world)

    (group,) = client.get("/ui/tasks", params={"text": "dock"}).json()["tasks"]

    assert group == {"dag_id": "stock", "node_id": "within", "label": "Loading dock", "is_group": True}


def test_only_the_current_version_counts(client: TestClient, any_world: World) -> None:
    _publish(any_world)
    assert ("granted", "loader") in _found(client, "loader")

    any_world.publish(Dag("granted", (Task("unloader"),)))

    assert _found(client, "loader") == [("granted", "unloader")]


def test_a_guest_finds_tasks_of_what_was_granted(connect: Connect, any_world: World) -> None:
    _publish(any_world)

    assert _found(connect("guest"), "load") == [("granted", "loader")]


def test_a_dag_that_cannot_be_decoded_hides_no_other(client: TestClient, any_world: World) -> None:
    _publish(any_world)
    broken = NewVersion("granted", "x", "{")
    any_world.database.transact(lambda tx: tx.versions.add([broken], any_world.clock.now()))

    assert _found(client, "loader") == []
    assert ("sales", "load") in _found(client, "load")


def test_a_search_for_nothing_is_refused(client: TestClient) -> None:
    assert client.get("/ui/tasks", params={"text": ""}).status_code == 422
    assert client.get("/ui/tasks", params={"text": "   "}).json() == {"tasks": []}
    assert client.get("/ui/tasks", params={"text": "a", "limit": 0}).status_code == 422
