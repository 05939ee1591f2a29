"""What the pages show of many runs at once (D4, D5)."""

from typing import Any

from fastapi.testclient import TestClient

from tests.component.api.conftest import Connect
from tests.component.world import World, fails
from tradewind.decide.structure import Structure
from tradewind.model.dag import Dag, Task, TaskGroup
from tradewind.model.mapping import FixedLength
from tradewind.operations.show_grid import grid_rows


def test_latest_runs_are_the_newest_in_their_order(client: TestClient, any_world: World) -> None:
    for dag_id in ("sales", "stock", "idle"):
        any_world.publish(Dag(dag_id, (Task("a"),)))
    for number in range(4):
        any_world.trigger("sales", f"r{number}")
        any_world.pass_time(1)
    any_world.trigger("stock", "only")

    answer = client.get("/ui/latest_runs", params={"dag_ids": ["sales", "stock", "idle", "unknown"], "most": 3})

    assert answer.status_code == 200, answer.text
    shown = {dag_id: [run["run_id"] for run in runs] for dag_id, runs in answer.json()["dags"].items()}
    assert shown == {"sales": ["r1", "r2", "r3"], "stock": ["only"], "idle": [], "unknown": []}
    assert client.get("/ui/latest_runs", params={"most": 0}).status_code == 422


def test_a_guest_sees_the_runs_of_what_was_granted(connect: Connect, any_world: World) -> None:
    for dag_id in ("granted", "sales"):
        any_world.publish(Dag(dag_id, (Task("a"),)))
        any_world.trigger(dag_id, "r1")

    answer = connect("guest").get("/ui/latest_runs", params={"dag_ids": ["granted", "sales"]})

    assert list(answer.json()["dags"]) == ["granted"]
    assert connect("guest").get("/ui/grid/sales").status_code in (403, 404)


def test_the_grid_shows_states_of_tasks_and_of_their_copies(client: TestClient, any_world: World) -> None:
    any_world.dag(Task("a"), Task("b", upstream=("a",), mapping=FixedLength(3)))
    any_world.scheduler(endings={"b[1]": fails(may_retry=False)})
    for run_id in ("r1", "r2"):
        any_world.trigger(run_id=run_id)
        any_world.pass_time(1)
    any_world.settle()

    grid = client.get("/ui/grid/sales", params={"most": 1}).json()

    assert [(row["node_id"], row["is_mapped"]) for row in grid["rows"]] == [("a", False), ("b", True)]
    (column,) = grid["runs"]
    assert (column["run_id"], column["state"]) == ("r2", "failed")
    assert column["states"] == {"success": [0]}
    assert column["mixed"] == {"1": {"success": 2, "failed": 1}}
    assert client.get("/ui/grid/nothing").status_code == 404


def test_who_has_the_grid_is_told_only_the_runs_that_changed(client: TestClient, any_world: World) -> None:
    """However many tasks and runs are shown: a change of one is one column (D5)."""
    any_world.dag(Task("a"), Task("b", upstream=("a",)))
    any_world.scheduler()
    for run_id in ("r1", "r2", "r3"):
        any_world.trigger(run_id=run_id)
        any_world.pass_time(1)
    whole = client.get("/ui/grid/sales").json()
    any_world.settle()

    asked = {"layout": whole["layout"], "changed": ["r3", "gone"]}
    part = client.get("/ui/grid/sales", params=asked).json()

    assert (whole["is_whole"], part["is_whole"], part["rows"]) == (True, False, [])
    assert part["run_ids"] == whole["run_ids"] == ["r1", "r2", "r3"]
    assert [(run["run_id"], run["states"]) for run in part["runs"]] == [("r3", {"success": [0, 1]})]
    assert client.get("/ui/grid/sales", params={"layout": whole["layout"]}).json()["runs"] == []


def test_who_has_another_grid_is_told_everything(client: TestClient, any_world: World) -> None:
    """Numbers of rows mean nothing to whom has other rows: of another version, or without a task that is gone (D5)."""
    any_world.dag(Task("gone"), Task("kept"))
    any_world.trigger(run_id="r1")
    before = client.get("/ui/grid/sales").json()["layout"]
    any_world.dag(Task("kept"), Task("new"))
    any_world.pass_time(1)
    any_world.trigger(run_id="r2")

    other_version = client.get("/ui/grid/sales", params={"layout": before, "changed": ["r2"]}).json()
    now = other_version["layout"]
    of_former = client.get("/ui/grid/sales", params={"layout": now, "changed": ["r1"]}).json()

    for whole in (other_version, of_former):
        assert whole["is_whole"]
        assert [row["node_id"] for row in whole["rows"]] == ["kept", "new", "gone"]
        assert [run["run_id"] for run in whole["runs"]] == ["r1", "r2"]
    assert not client.get("/ui/grid/sales", params={"layout": now, "changed": ["r2"]}).json()["is_whole"]


def test_tasks_that_only_old_runs_have_come_last(client: TestClient, any_world: World) -> None:
    any_world.dag(Task("gone"), Task("kept"))
    any_world.trigger()
    any_world.dag(Task("kept"), Task("new"))

    grid = client.get("/ui/grid/sales").json()

    assert [row["node_id"] for row in grid["rows"]] == ["kept", "new", "gone"]
    assert [run["version"] for run in grid["runs"]] == [1]
    assert grid["rows"][2]["operator"] is None


def test_groups_stay_together_and_begin_where_their_first_task_is() -> None:
    groups = (TaskGroup("outer"), TaskGroup("outer.inner", parent_id="outer"), TaskGroup("empty"))
    tasks = (
        Task("last", upstream=("outer.inner.y",)),
        Task("outer.inner.x", group_id="outer.inner", upstream=("first",)),
        Task("first"),
        Task("outer.z", group_id="outer", upstream=("outer.inner.x",)),
        Task("outer.inner.y", group_id="outer.inner", upstream=("outer.z",)),
    )

    rows = list(grid_rows(Structure(Dag("sales", tasks, groups))))

    assert [(row.node_id, row.label, row.parent_id, row.is_group) for row in rows] == [
        ("first", "first", None, False),
        ("outer", "outer", None, True),
        ("outer.inner", "inner", "outer", True),
        ("outer.inner.x", "x", "outer.inner", False),
        ("outer.inner.y", "y", "outer.inner", False),
        ("outer.z", "z", "outer", False),
        ("last", "last", None, False),
    ]


def test_pages_of_the_grid_lead_to_each_other(client: TestClient, any_world: World) -> None:
    """To older ones and back, until there are none left (A8)."""
    any_world.dag(Task("a"))
    for number in range(5):
        any_world.trigger(run_id=f"r{number}")

    def page(before: str | None) -> dict[str, Any]:
        found = client.get("/ui/grid/sales", params={"most": 2, **({"before": before} if before else {})})
        assert found.status_code == 200, found.text
        return {**found.json(), "runs": None}

    newest = page(None)
    middle = page(newest["older"])
    oldest = page(middle["older"])

    assert [each["run_ids"] for each in (oldest, middle, newest)] == [["r0"], ["r1", "r2"], ["r3", "r4"]]
    assert [each["has_newer"] for each in (oldest, middle, newest)] == [True, True, False]
    assert (oldest["older"], middle["newer"], newest["newer"]) == (None, None, None)
    assert page(oldest["newer"]) == middle
    assert client.get("/ui/grid/sales", params={"before": "yesterday"}).status_code == 400


def test_the_grid_shows_the_runs_that_are_asked_for(client: TestClient, any_world: World) -> None:
    """By state, type and user; and who has such a grid is told which runs it still shows (A8, D5)."""
    any_world.dag(Task("a"))
    any_world.scheduler(endings={"a": fails(may_retry=False)})
    any_world.trigger(run_id="bad", triggering_user_name="vera")
    any_world.settle()
    any_world.pass_time(1)
    any_world.trigger(run_id="new", triggering_user_name="olaf")

    def shown(**only: str) -> list[str]:
        ids: list[str] = client.get("/ui/grid/sales", params=only).json()["run_ids"]
        return ids

    assert shown() == ["bad", "new"]
    assert shown(state="failed") == ["bad"]
    assert shown(run_type="scheduled") == []
    assert shown(triggered_by="OLA") == ["new"]
    assert shown(run_after_lt="2000-01-01T00:00:00Z") == []
    assert client.get("/ui/grid/sales", params={"state": "sad"}).status_code == 422
    queued = client.get("/ui/grid/sales", params={"state": "queued"}).json()
    any_world.settle()
    left = {"state": "queued", "layout": queued["layout"], "changed": ["new"]}
    assert client.get("/ui/grid/sales", params=left).json()["run_ids"] == []
