"""Runs by the REST API (B1)."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.component.api.conftest import Connect
from tests.component.world import World
from tradewind.model.dag import Dag, Task
from tradewind.model.states import RunState, RunType
from tradewind.model.timetable import CronTrigger

RUNS = "/api/v2/dags/sales/dagRuns"
ALL_RUNS = "/api/v2/dags/~/dagRuns"
NOW = datetime(2026, 1, 1, tzinfo=UTC)


def ids(answer: Any) -> list[str]:
    assert answer.status_code == 200, answer.text
    return [run["dag_run_id"] for run in answer.json()["dag_runs"]]


@pytest.fixture
def sales(any_world: World) -> World:
    any_world.dag(Task("a"), Task("b", upstream=("a",)), display_name="Sales of today")
    return any_world


def trigger(client: TestClient, **body: Any) -> Any:
    return client.post(RUNS, json={"logical_date": None, **body})


def test_a_run_is_asked_for_and_shown(client: TestClient, sales: World) -> None:
    made = trigger(client, dag_run_id="r1", conf={"colour": "red"}, note="by hand")

    assert made.status_code == 200, made.text
    run = made.json()
    (version,) = run.pop("dag_versions")
    assert (version["version_number"], version["dag_id"]) == (1, "sales")
    assert run == {
        "dag_run_id": "r1",
        "dag_id": "sales",
        "dag_display_name": "Sales of today",
        "logical_date": None,
        "queued_at": "2026-01-01T00:00:00Z",
        "start_date": None,
        "end_date": None,
        "duration": None,
        "data_interval_start": None,
        "data_interval_end": None,
        "run_after": "2026-01-01T00:00:00Z",
        "last_scheduling_decision": None,
        "run_type": "manual",
        "state": "queued",
        "triggered_by": "rest_api",
        "triggering_user_name": "admin",
        "conf": {"colour": "red"},
        "note": "by hand",
        "bundle_version": None,
        "partition_key": None,
        "partition_date": None,
    }

    sales.scheduler()
    sales.settle()
    shown = client.get(f"{RUNS}/r1").json()
    assert (shown["state"], shown["duration"]) == ("success", 0.0)
    assert shown["last_scheduling_decision"] == "2026-01-01T00:00:00Z"


def test_a_run_that_nobody_names_is_named_after_its_time(client: TestClient, sales: World) -> None:
    assert trigger(client).json()["dag_run_id"].startswith("manual__2026-01-01T00:00:00+00:00_")
    dated = trigger(client, logical_date="2026-01-02T03:04:05+01:00").json()
    assert dated["dag_run_id"] == "manual__2026-01-01T00:00:00+00:00"
    assert dated["logical_date"] == "2026-01-02T02:04:05Z"


def test_the_data_interval_may_be_given(client: TestClient, sales: World) -> None:
    interval = {"data_interval_start": "2025-12-01T00:00:00Z", "data_interval_end": "2025-12-02T00:00:00Z"}

    run = trigger(client, logical_date="2025-12-01T00:00:00Z", run_after="2026-02-01T00:00:00Z", **interval).json()

    assert {name: run[name] for name in interval} == interval
    assert run["run_after"] == "2026-02-01T00:00:00Z"


def test_without_a_logical_date_there_is_no_interval_and_with_one_the_run_still_starts_at_once(
    client: TestClient, sales: World
) -> None:
    """As in Airflow: only `run_after` lets a run wait."""
    interval = {"data_interval_start": "2025-12-01T00:00:00Z", "data_interval_end": "2025-12-02T00:00:00Z"}

    undated = trigger(client, dag_run_id="undated", **interval).json()
    dated = trigger(client, dag_run_id="dated", logical_date="2030-01-01T00:00:00Z").json()

    assert (undated["data_interval_start"], undated["data_interval_end"]) == (None, None)
    assert undated["run_after"] == dated["run_after"] == "2026-01-01T00:00:00Z"


def test_a_run_of_a_paused_dag_stays_queued(client: TestClient, sales: World) -> None:
    sales.pause()

    assert trigger(client, dag_run_id="r1").status_code == 200
    sales.scheduler()
    sales.settle()

    assert client.get(f"{RUNS}/r1").json()["state"] == "queued"


def test_the_timetable_says_that_it_made_a_run(client: TestClient, any_world: World) -> None:
    any_world.dag(Task("a"), timetable=CronTrigger("0 * * * *"), start_at=NOW, catchup=True)
    any_world.scheduler()
    any_world.pass_time(3600)

    (first, *_) = client.get(RUNS).json()["dag_runs"]
    assert (first["run_type"], first["triggered_by"], first["triggering_user_name"]) == (
        "scheduled",
        "timetable",
        None,
    )


NONSENSE: list[tuple[dict[str, Any], int, str]] = [
    ({}, 422, "logical_date"),
    ({"logical_date": "2026-01-01T00:00:00"}, 422, "timezone"),
    ({"logical_date": None, "colour": "red"}, 422, "colour"),
    ({"logical_date": None, "conf": [1]}, 422, "conf"),
    ({"logical_date": None, "data_interval_start": "2026-01-01T00:00:00Z"}, 422, "belong together"),
    ({"logical_date": None, "dag_run_id": "../../x"}, 400, ".."),
    ({"logical_date": None, "dag_run_id": "scheduled__x"}, 400, "scheduled"),
    ({"logical_date": None, "partition_key": "x"}, 400, "partition"),
    ({"logical_date": None, "conf": {"n": "many"}}, 400, "param n"),
]


def test_what_makes_no_sense_is_refused(client: TestClient, any_world: World) -> None:
    params: Any = {"n": {"value": 1, "schema": {"type": "integer"}}}
    any_world.publish(Dag("sales", tasks=(Task("a"),), params=params))

    for body, status, said in NONSENSE:
        answer = client.post(RUNS, json=body)
        assert (answer.status_code, said in answer.text) == (status, True), answer.text
    assert client.get(RUNS).json()["total_entries"] == 0


def test_a_run_is_asked_for_once(client: TestClient, sales: World) -> None:
    assert trigger(client, dag_run_id="r1", logical_date="2026-01-01T00:00:00Z").status_code == 200

    assert trigger(client, dag_run_id="r1").status_code == 409
    again = trigger(client, dag_run_id="r2", logical_date="2026-01-01T00:00:00Z")
    assert (again.status_code, "already has a run" in again.json()["detail"]) == (409, True)


def test_a_dag_that_is_not_there_has_no_runs(client: TestClient) -> None:
    nothing = "/api/v2/dags/nothing/dagRuns"
    assert client.post(nothing, json={"logical_date": None}).status_code == 404
    assert client.get(nothing).status_code == 404
    assert client.get(f"{nothing}/r1").status_code == 404
    assert client.get(f"{RUNS}/r1").json() == {"detail": "DAG 'sales' has no run 'r1'"}


def test_a_stale_dag_is_not_there_for_who_wants_a_run(client: TestClient, sales: World) -> None:
    with sales.database.begin() as tx:
        tx.dags.set_stale(["sales"])

    assert trigger(client).status_code == 404


@pytest.fixture
def history(any_world: World) -> World:
    """Runs r0 to r4 of `sales`, an hour apart, of which r3 failed and r4 waits; and one of `stock`."""
    any_world.dag(Task("a"))
    any_world.dag(Task("a"), dag_id="stock")
    any_world.scheduler()
    for number in range(4):
        any_world.trigger(run_id=f"r{number}", logical_date=any_world.clock.now(), conf={"n": number})
        any_world.settle()
        any_world.clock.advance(3600)
    any_world.mark_run(RunState.FAILED, run_id="r3")
    any_world.trigger("stock", "s0", run_type=RunType.MANUAL)
    any_world.settle()
    any_world.trigger(run_id="r4", run_after=any_world.clock.now() + timedelta(days=1))
    return any_world


QUERIES: list[tuple[dict[str, Any], list[str]]] = [
    ({}, ["r0", "r1", "r2", "r3", "r4"]),
    ({"order_by": "-run_after", "limit": 2, "offset": 1}, ["r3", "r2"]),
    ({"order_by": ["state", "-run_id"]}, ["r3", "r4", "r2", "r1", "r0"]),
    ({"order_by": "-logical_date"}, ["r3", "r2", "r1", "r0", "r4"]),
    ({"order_by": "-duration"}, ["r3", "r2", "r1", "r0", "r4"]),
    ({"order_by": "consuming_asset"}, ["r0", "r1", "r2", "r3", "r4"]),
    ({"state": "queued"}, ["r4"]),
    ({"state": ["queued", "failed"]}, ["r3", "r4"]),
    ({"run_type": "scheduled"}, []),
    ({"run_after_gte": "2026-01-01T02:00:00Z", "run_after_lt": "2026-01-01T03:00:00Z"}, ["r2"]),
    ({"logical_date_gt": "2026-01-01T02:00:00"}, ["r3"]),
    ({"start_date_lte": "2026-01-01T00:00:00Z"}, ["r0"]),
    ({"duration_gte": 1}, ["r3"]),
    ({"updated_at_gt": "2026-01-01T03:30:00Z"}, ["r3", "r4"]),
    ({"conf_contains": '"n":2'}, ["r2"]),
    ({"run_id_pattern": "R1|4"}, ["r1", "r4"]),
    ({"run_id_prefix_pattern": "r2"}, ["r2"]),
    ({"triggering_user_name_pattern": "ada"}, []),
    ({"dag_version": 2}, []),
    ({"dag_version": 1, "limit": 1}, ["r0"]),
    ({"bundle_version": "x"}, []),
    ({"partition_key_pattern": "x"}, []),
    ({"partition_date_gte": "2026-01-01"}, []),
    ({"consuming_asset_pattern": "x"}, []),
]


def test_runs_are_listed_by_what_is_asked_for(client: TestClient, history: World) -> None:
    found = [(query, ids(client.get(RUNS, params=query))) for query, _ in QUERIES]

    assert found == QUERIES


def test_runs_of_all_dags_are_listed(client: TestClient, history: World) -> None:
    assert ids(client.get(ALL_RUNS, params={"dag_id_pattern": "STO"})) == ["s0"]
    assert client.get(ALL_RUNS).json()["total_entries"] == 6
    body = {"dag_ids": ["sales", "stock"], "states": ["success"], "order_by": "-run_id", "page_limit": 2}
    answer = client.post(f"{ALL_RUNS}/list", json=body)
    assert (ids(answer), answer.json()["total_entries"]) == (["s0", "r2"], 4)
    assert client.post(f"{RUNS}/list", json={}).status_code == 422


def test_pages_follow_one_another_both_ways(client: TestClient, history: World) -> None:
    """What has no value in the field of the order comes last, on whichever page that is."""
    for order in ("id", "-run_after", "-logical_date", "duration"):
        go_through_pages(client, order)


def go_through_pages(client: TestClient, order: str) -> None:
    whole = ids(client.get(RUNS, params={"order_by": order}))

    forwards, last = follow(client, order, "", "next_cursor")
    assert forwards == [whole[:2], whole[2:4], whole[4:]]
    assert (last["total_entries"], last["total_entries_limit"]) == (5, 1000)

    backwards, first = follow(client, order, last["previous_cursor"], "previous_cursor")
    assert backwards == [whole[2:4], whole[:2]]
    assert follow(client, order, first["next_cursor"], "next_cursor")[0] == forwards[1:]


def follow(client: TestClient, order: str, cursor: str | None, direction: str) -> tuple[list[list[str]], Any]:
    """The pages from there on, and the last answer."""
    pages = []
    while True:
        answer = client.get(RUNS, params={"order_by": order, "limit": 2, "cursor": cursor})
        pages.append(ids(answer))
        cursor = answer.json()[direction]
        if cursor is None:
            return pages, answer.json()


def test_lists_that_there_are_not_are_refused(client: TestClient, history: World) -> None:
    cursors = ["x", "!!!", "kgEC", "gA", "wqk", "kcM", "kw", "lMOhYQ", "a" * 5000]
    odd: list[dict[str, Any]] = [{"order_by": "secret"}, {"state": "odd"}, {"limit": -1}, {"run_after_gte": "soon"}]
    for query in (*odd, *({"cursor": cursor} for cursor in cursors)):
        answer = client.get(RUNS, params=query)
        assert (answer.status_code in (400, 422), bool(answer.json().get("detail"))) == (True, True), query


def test_a_run_is_marked_noted_and_started_again(client: TestClient, sales: World) -> None:
    trigger(client, dag_run_id="r1", note="old")

    failed = client.patch(f"{RUNS}/r1", json={"state": "failed", "note": "new"}, params={"update_mask": "state"})
    assert (failed.json()["state"], failed.json()["note"]) == ("failed", "old")
    noted = client.patch(f"{RUNS}/r1", json={"note": None})
    assert (noted.json()["state"], noted.json()["note"]) == ("failed", None)
    assert client.patch(f"{RUNS}/r1", json={"state": "success"}).json()["state"] == "success"
    assert client.patch(f"{RUNS}/r1", json={"state": "queued"}).json()["state"] == "queued"
    sales.scheduler()
    sales.settle()
    assert client.get(f"{RUNS}/r1").json()["state"] == "success"

    assert client.patch(f"{RUNS}/r1", json={"state": "running"}).status_code == 422
    assert client.patch(f"{RUNS}/r1", json={"note": "x"}, params={"update_mask": "conf"}).status_code == 400
    assert client.patch(f"{RUNS}/r9", json={"note": "x"}).status_code == 404


def test_a_running_run_is_queued_again(client: TestClient, sales: World) -> None:
    trigger(client, dag_run_id="r1")
    scheduler = sales.scheduler()
    scheduler.run_once()

    assert client.patch(f"{RUNS}/r1", json={"state": "queued"}).json()["state"] == "queued"

    sales.settle()
    assert client.get(f"{RUNS}/r1").json()["state"] == "success"


def test_no_run_is_made_for_updates_of_assets_yet(client: TestClient, sales: World) -> None:
    trigger(client, dag_run_id="r1")

    assert client.get(f"{RUNS}/r1/upstreamAssetEvents").json() == {"asset_events": [], "total_entries": 0}
    assert client.get(f"{RUNS}/r9/upstreamAssetEvents").status_code == 404


def test_a_run_is_deleted(client: TestClient, sales: World) -> None:
    trigger(client, dag_run_id="r1")

    assert client.delete(f"{RUNS}/r1").status_code == 204
    assert client.delete(f"{RUNS}/r1").status_code == 404


def test_many_runs_are_changed_and_deleted_at_once(client: TestClient, history: World) -> None:
    actions = [
        {"action": "update", "entities": [{"dag_run_id": "r0", "note": "seen"}, {"dag_run_id": "r9", "note": "x"}]},
        {"action": "delete", "entities": ["r1", "r8"], "action_on_non_existence": "skip"},
        {"action": "create", "entities": [{"dag_run_id": "r7"}]},
    ]

    answer = client.patch(RUNS, json={"actions": actions}).json()

    assert answer["update"]["success"] == ["sales.r0"]
    assert [error["status_code"] for error in answer["update"]["errors"]] == [404]
    assert answer["delete"] == {"success": ["sales.r1"], "errors": []}
    assert [error["status_code"] for error in answer["create"]["errors"]] == [405]
    assert client.get(f"{RUNS}/r0").json()["note"] == "seen"
    assert ids(client.get(RUNS)) == ["r0", "r2", "r3", "r4"]


def test_runs_of_several_dags_are_changed_at_once(connect: Connect, history: World) -> None:
    entities = [{"dag_id": "sales", "dag_run_id": "r0", "state": "failed"}, {"dag_id": "stock", "dag_run_id": "s0"}]
    body = {"actions": [{"action": "update", "entities": entities}]}

    assert connect("admin").patch(ALL_RUNS, json=body).json()["update"]["success"] == ["sales.r0", "stock.s0"]
    assert history.run("r0").state is RunState.FAILED
    body = {"actions": [{"action": "delete", "entities": ["r0"]}]}
    assert connect("admin").patch(ALL_RUNS, json=body).status_code == 400
    assert connect("viewer").patch(ALL_RUNS, json=body).status_code == 403


def test_a_run_is_cleared(client: TestClient, sales: World) -> None:
    trigger(client, dag_run_id="r1")
    sales.scheduler()
    sales.settle()

    dry = client.post(f"{RUNS}/r1/clear", json={})
    assert [task["task_id"] for task in dry.json()["task_instances"]] == ["a", "b"]
    assert sales.run().state is RunState.SUCCESS
    none_failed = client.post(f"{RUNS}/r1/clear", json={"only_failed": True})
    assert none_failed.json() == {"task_instances": [], "total_entries": 0}

    cleared = client.post(f"{RUNS}/r1/clear", json={"dry_run": False, "note": "again"}).json()
    assert (cleared["state"], cleared["note"]) == ("queued", "again")
    assert set(sales.states().values()) == {"none"}
    assert client.post(f"{RUNS}/r9/clear", json={}).status_code == 404


def test_a_run_goes_on_with_the_latest_version(client: TestClient, sales: World) -> None:
    trigger(client, dag_run_id="r1")
    sales.scheduler()
    sales.settle()
    sales.dag(Task("a"), Task("c", upstream=("a",), display_name="C!"))

    dry = client.post(f"{RUNS}/r1/clear", json={"only_new": True}).json()
    assert dry["task_instances"] == [{"task_id": "c", "task_display_name": "C!"}]
    client.post(f"{RUNS}/r1/clear", json={"only_new": True, "dry_run": False})
    sales.settle()
    shown = client.get(f"{RUNS}/r1").json()
    assert (shown["state"], shown["dag_versions"][0]["version_number"]) == ("success", 2)
    assert sales.states() == {"a": "success", "b": "success", "c": "success"}

    client.post(f"{RUNS}/r1/clear", json={"run_on_latest_version": True, "dry_run": False})
    assert sales.states() == {"a": "none", "b": "removed", "c": "none"}
    sales.settle()
    assert sales.run().state is RunState.SUCCESS


def test_many_runs_are_cleared_at_once(client: TestClient, history: World) -> None:
    body: dict[str, Any] = {"dag_runs": [{"dag_run_id": "r1"}, {"dag_run_id": "r0"}]}

    dry = client.post("/api/v2/dags/sales/clearDagRuns", json=body).json()
    assert [task["dag_run_id"] for task in dry["task_instances"]] == ["r0", "r1"]
    done = client.post("/api/v2/dags/sales/clearDagRuns", json={**body, "dry_run": False})
    assert ids(done) == ["r0", "r1"]
    assert {run["state"] for run in done.json()["dag_runs"]} == {"queued"}
    assert client.post("/api/v2/dags/sales/clearDagRuns", json={}).status_code == 400
    assert client.post("/api/v2/dags/stock/clearDagRuns", json=body).status_code == 404


def test_who_may(connect: Connect, history: World) -> None:
    assert connect(None).get(RUNS).status_code == 401
    assert connect("viewer").get(RUNS).status_code == 200
    assert connect("viewer").post(RUNS, json={"logical_date": None}).status_code == 403
    assert connect("user").post(RUNS, json={"logical_date": None}).status_code == 200
    assert connect("viewer").delete(f"{RUNS}/r0").status_code == 403
    assert connect("guest").get(RUNS).status_code == 403
    history.dag(Task("a"), dag_id="granted")
    history.trigger("granted", "g0")
    assert ids(connect("guest").get(ALL_RUNS)) == ["g0"]
    assert ids(connect("guest").post(f"{ALL_RUNS}/list", json={"dag_ids": ["sales"]})) == []
