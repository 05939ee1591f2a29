"""DAGs by the REST API (B1)."""

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.component.api.conftest import Connect
from tests.component.api.dag_files import store_file
from tests.component.world import PatientExecutor, World, fails
from tradewind.api.services import Services
from tradewind.model.asset import AllAssets, AssetRef
from tradewind.model.dag import Dag, Task
from tradewind.model.states import RunState, RunType
from tradewind.model.timetable import AssetAndTime, AssetOrTime, AssetTriggered, CronTrigger, Delta, DeltaTrigger

DAGS = "/api/v2/dags"
DAILY = CronTrigger("0 0 * * *")
START = datetime(2026, 1, 1, tzinfo=UTC)


def ids(client: TestClient, **query: Any) -> list[str]:
    answer = client.get(DAGS, params=query)
    assert answer.status_code == 200, answer.text
    return [dag["dag_id"] for dag in answer.json()["dags"]]


def full_dag() -> Dag:
    return Dag(
        "full",
        tasks=(Task("a", owner="ann", max_active_per_dag=2), Task("b", owner="bob")),
        timetable=DAILY,
        start_at=START,
        catchup=True,
        max_active_tasks=5,
        max_active_runs=3,
        max_consecutive_failed_runs=4,
        run_timeout_s=7200,
        allowed_run_types=(RunType.MANUAL, RunType.SCHEDULED),
        description="all of it",
        display_name="Full one",
        doc="# Full",
        owner_links=(("ann", "https://ann.example.com"),),
        tags=("red", "blue"),
        params={"x": {"value": 3, "schema": {"type": "integer"}, "description": None, "source": None}},
        details={"default_args": {"retries": 2}, "template_searchpath": "/t", "render_template_as_native_obj": True},
    )


def test_a_dag_is_shown(client: TestClient, any_world: World, services: Services) -> None:
    store_file(any_world, "sub/full.py", full_dag(), bundle_version="c0ffee")

    shown = client.get(f"{DAGS}/full").json()

    assert client.get(DAGS).json() == {"dags": [shown], "total_entries": 1}
    token = shown.pop("file_token")
    assert shown == {
        "dag_id": "full",
        "dag_display_name": "Full one",
        "is_paused": False,
        "is_stale": False,
        "last_parsed_time": "2026-01-01T00:00:00Z",
        "last_parse_duration": 0.25,
        "last_expired": None,
        "bundle_name": "dags-folder",
        "bundle_version": "c0ffee",
        "relative_fileloc": "sub/full.py",
        "fileloc": str(services.settings.dags_folder / "sub/full.py"),
        "description": "all of it",
        "timetable_summary": "0 0 * * *",
        "timetable_description": "At 00:00",
        "timetable_partitioned": False,
        "timetable_periodic": True,
        "tags": [{"name": name, "dag_id": "full", "dag_display_name": "Full one"} for name in ("blue", "red")],
        "max_active_tasks": 5,
        "max_active_runs": 3,
        "max_consecutive_failed_dag_runs": 4,
        "has_task_concurrency_limits": True,
        "has_import_errors": False,
        "next_dagrun_logical_date": "2026-01-01T00:00:00Z",
        "next_dagrun_data_interval_start": "2026-01-01T00:00:00Z",
        "next_dagrun_data_interval_end": "2026-01-01T00:00:00Z",
        "next_dagrun_run_after": "2026-01-01T00:00:00Z",
        "allowed_run_types": ["manual", "scheduled"],
        "owners": ["ann", "bob"],
        "is_backfillable": False,
    }
    assert token
    assert client.get(f"{DAGS}/none").json() == {"detail": "there is no DAG 'none'"}


def test_all_about_a_dag(client: TestClient, any_world: World) -> None:
    store_file(any_world, "full.py", full_dag())
    any_world.trigger("full")

    details = client.get(f"{DAGS}/full/details").json()

    version = details.pop("latest_dag_version")
    assert (version["version_number"], version["dag_display_name"]) == (1, "Full one")
    expected = {
        "catchup": True,
        "dag_run_timeout": "PT2H",
        "asset_expression": None,
        "doc_md": "# Full",
        "start_date": "2026-01-01T00:00:00Z",
        "end_date": None,
        "is_paused_upon_creation": None,
        "params": {"x": {"value": 3, "schema": {"type": "integer"}, "description": None, "source": None}},
        "render_template_as_native_obj": True,
        "template_search_path": ["/t"],
        "timezone": "UTC",
        "last_parsed": "2026-01-01T00:00:00Z",
        "default_args": {"retries": 2},
        "rerun_with_latest_version": None,
        "owner_links": {"ann": "https://ann.example.com"},
        "is_favorite": False,
        "active_runs_count": 1,
        "concurrency": 5,
    }
    assert {name: details[name] for name in expected} == expected
    assert client.get(f"{DAGS}/none/details").status_code == 404


def test_assets_that_a_dag_waits_for(client: TestClient, any_world: World) -> None:
    awaited = AllAssets((AssetRef("orders", "s3://shop/orders"), AssetRef("customers", "s3://shop/customers")))
    any_world.dag(dag_id="waits", timetable=AssetTriggered(), assets=awaited)
    any_world.dag(dag_id="daily", timetable=DAILY)

    expression = client.get(f"{DAGS}/waits/details").json()["asset_expression"]

    assert [part["asset"]["name"] for part in expression["all"]] == ["orders", "customers"]
    assert all(isinstance(part["asset"]["id"], int) for part in expression["all"])
    assert ids(client, has_asset_schedule=True) == ["waits"]
    assert ids(client, has_asset_schedule=False) == ["daily"]
    assert ids(client, asset_dependency="ORDERS") == ["waits"]
    assert ids(client, asset_dependency="s3://shop") == ["waits"]
    assert ids(client, asset_dependency="nothing") == []


@pytest.fixture
def several(any_world: World) -> World:
    """Three DAGs, one of which is paused."""
    any_world.dag(Task("t", owner="ann"), dag_id="a_daily", tags=("red", "blue"), timetable=DAILY, display_name="zoo")
    any_world.dag(Task("t", owner="bob"), dag_id="b_hourly", tags=("red",), timetable=DeltaTrigger(Delta(seconds=3600)))
    any_world.dag(Task("t", owner="cid"), dag_id="c_never", tags=("green",), is_paused=True)
    return any_world


def test_dags_are_found_by_what_they_are(client: TestClient, several: World) -> None:
    assert ids(client) == ["a_daily", "b_hourly", "c_never"]
    assert ids(client, tags=["red"]) == ["a_daily", "b_hourly"]
    assert ids(client, tags=["blue", "green"]) == ["a_daily", "c_never"]
    assert ids(client, tags=["red", "blue"], tags_match_mode="all") == ["a_daily"]
    assert ids(client, owners=["ann", "CID"]) == ["a_daily", "c_never"]
    assert ids(client, dag_id_pattern="LY") == ["a_daily", "b_hourly"]
    assert ids(client, dag_id_prefix_pattern="a_|c") == ["a_daily", "c_never"]
    assert ids(client, dag_display_name_pattern="ZOO") == ["a_daily"]
    assert ids(client, dag_display_name_prefix_pattern="z") == ["a_daily"]
    assert ids(client, paused=True) == ["c_never"]
    assert ids(client, timetable_type=["CronTriggerTimetable", "NullTimetable"]) == ["a_daily", "c_never"]
    assert ids(client, bundle_name="dags-folder") == []
    assert client.get(DAGS, params={"tags_match_mode": "some"}).status_code == 422


def test_dags_are_sorted_and_paged(client: TestClient, several: World) -> None:
    assert ids(client, order_by="-dag_id") == ["c_never", "b_hourly", "a_daily"]
    assert ids(client, order_by="dag_display_name") == ["b_hourly", "c_never", "a_daily"]
    assert ids(client, order_by="-next_dagrun")[-1] == "c_never"
    assert ids(client, limit=1, offset=1) == ["b_hourly"]
    assert client.get(DAGS, params={"limit": 1}).json()["total_entries"] == 3
    assert client.get(DAGS, params={"order_by": "secret"}).status_code == 400


def test_dags_are_found_and_sorted_by_their_last_run(client: TestClient, several: World) -> None:
    for dag_id, state in (("a_daily", RunState.FAILED), ("b_hourly", RunState.SUCCESS)):
        several.trigger(dag_id, "old")
        several.mark_run(RunState.SUCCESS, dag_id, "old")
        several.clock.advance(60)
        several.trigger(dag_id, "new")
        several.mark_run(state, dag_id, "new")
    several.trigger("b_hourly", "queued", run_after=several.clock.now() + timedelta(days=1))

    assert ids(client, last_dag_run_state="failed") == ["a_daily"]
    assert ids(client, dag_run_state=["failed", "queued"]) == ["a_daily", "b_hourly"]
    assert ids(client, order_by="last_run_state") == ["a_daily", "b_hourly", "c_never"]
    assert ids(client, order_by="-state") == ["b_hourly", "a_daily", "c_never"]
    since = (several.clock.now() - timedelta(hours=1)).isoformat()
    assert ids(client, dag_run_end_date_gte=since) == ["a_daily"]
    assert ids(client, dag_run_end_date_lt=since) == []
    assert client.get(DAGS, params={"dag_run_state": "odd"}).status_code == 422


def test_dags_are_found_by_any_of_their_runs(client: TestClient, any_world: World) -> None:
    """(A8) Whatever has become of those after it."""
    for dag_id in ("fails", "sales", "waits"):
        any_world.publish(Dag(dag_id, (Task("a"),)))
    any_world.trigger("fails", "r1")
    any_world.scheduler(endings={"a": fails(may_retry=False)})
    any_world.settle()
    ended_at = any_world.clock.now()
    any_world.clock.advance(60)
    any_world.trigger("fails", "r2")
    any_world.trigger("waits", "r1")

    def found(state: str, **query: str) -> list[str]:
        rows = client.get("/ui/dags", params={"any_dag_run_state": state, **query}).json()["dags"]
        return [row["dag_id"] for row in rows]

    assert found("failed") == ["fails"]
    assert found("failed", any_dag_run_end_date_gte=ended_at.isoformat()) == ["fails"]
    assert found("failed", any_dag_run_end_date_gte=any_world.clock.now().isoformat()) == []
    assert found("queued") == ["fails", "waits"]
    assert found("running") == []
    assert client.get("/ui/dags", params={"any_dag_run_state": "success"}).status_code == 422


def test_owners_and_bundles_to_choose_from_are_those_within_reach(
    client: TestClient, connect: Connect, any_world: World
) -> None:
    """(A8)"""
    store_file(any_world, "a.py", Dag("granted", (Task("a", owner="ann"),)))
    store_file(any_world, "b.py", Dag("sales", (Task("a", owner="bob"), Task("b", owner="ann"))))

    assert client.get("/ui/dag_choices").json() == {"owners": ["ann", "bob"], "bundles": ["dags-folder"]}
    assert connect("guest").get("/ui/dag_choices").json() == {"owners": ["ann"], "bundles": ["dags-folder"]}


def test_stale_dags_and_those_with_errors(client: TestClient, any_world: World) -> None:
    store_file(any_world, "old.py", Dag("gone"))
    store_file(any_world, "old.py", Dag("there"))
    store_file(any_world, "old.py", error="SyntaxError: invalid syntax")

    assert ids(client) == ["there"]
    assert ids(client, exclude_stale=False) == ["gone", "there"]
    assert ids(client, has_import_errors=True) == ["there"]
    assert ids(client, has_import_errors=False) == []
    assert client.get(f"{DAGS}/there").json()["has_import_errors"] is True
    assert client.get(f"{DAGS}/gone").json()["is_stale"] is True


def test_what_is_shown_follows_the_version(client: TestClient, any_world: World) -> None:
    any_world.dag(Task("t", owner="ann"), tags=("old", "kept"), description="before")
    any_world.dag(Task("t", owner="bob"), tags=("kept", "new"), description="after", timetable=DAILY)

    shown = client.get(f"{DAGS}/sales").json()

    assert [tag["name"] for tag in shown["tags"]] == ["kept", "new"]
    assert (shown["owners"], shown["description"], shown["timetable_periodic"]) == (["bob"], "after", True)


def test_dags_are_paused_one_by_one_and_many_at_once(client: TestClient, several: World) -> None:
    one = client.patch(f"{DAGS}/a_daily", json={"is_paused": True})
    assert (one.status_code, one.json()["is_paused"]) == (200, True)
    assert ids(client, paused=True) == ["a_daily", "c_never"]

    many = client.patch(DAGS, json={"is_paused": False}, params={"dag_id_pattern": "~", "paused": True}).json()
    assert ([dag["is_paused"] for dag in many["dags"]], many["total_entries"]) == ([False, False], 2)
    assert ids(client, paused=True) == []

    assert client.patch(DAGS, json={"is_paused": True}).json() == {"dags": [], "total_entries": 0}
    assert client.patch(f"{DAGS}/none", json={"is_paused": True}).status_code == 404
    assert client.patch(f"{DAGS}/a_daily", json={}).status_code == 422
    masked = client.patch(f"{DAGS}/a_daily", json={"is_paused": True}, params={"update_mask": "description"})
    assert masked.status_code == 400


def test_a_dag_is_deleted_but_not_while_its_tasks_run(client: TestClient, several: World) -> None:
    several.dag(Task("t"), dag_id="busy")
    several.trigger("busy")
    several.settle(several.scheduler(PatientExecutor(several.clock)))
    client.post(f"{DAGS}/c_never/favorite")

    refused = client.delete(f"{DAGS}/busy")
    assert (refused.status_code, "while task 't' is running" in refused.json()["detail"]) == (409, True)
    assert client.delete(f"{DAGS}/c_never").status_code == 204
    assert client.delete(f"{DAGS}/c_never").status_code == 404
    assert ids(client, is_favorite=True) == []


def test_a_deleted_dag_whose_file_still_has_it_is_read_again(client: TestClient, any_world: World) -> None:
    store_file(any_world, "a.py", Dag("there"))

    assert client.delete(f"{DAGS}/there").status_code == 204

    with any_world.database.begin() as tx:
        assert [file.name.path for file in tx.files.requested(["dags-folder"])] == ["a.py"]


def test_favorites_are_those_of_a_person(connect: Connect, several: World) -> None:
    client, other = connect("admin"), connect("viewer")

    assert [client.post(f"{DAGS}/a_daily/favorite").status_code for _ in range(2)] == [204, 204]

    assert ids(client, is_favorite=True) == ["a_daily"]
    assert ids(client, is_favorite=False) == ["b_hourly", "c_never"]
    assert ids(other, is_favorite=True) == []
    assert client.get(f"{DAGS}/a_daily/details").json()["is_favorite"] is True
    assert [client.post(f"{DAGS}/a_daily/unfavorite").status_code for _ in range(2)] == [204, 409]
    assert client.post(f"{DAGS}/none/favorite").status_code == 404
    assert client.post(f"{DAGS}/none/unfavorite").status_code == 404


def test_the_next_runs_are_foreseen(client: TestClient, any_world: World) -> None:
    any_world.dag(dag_id="daily", timetable=DAILY, start_at=START, catchup=True, is_paused=True)

    answer = client.get(f"{DAGS}/daily/upcoming", params={"limit": 2}).json()

    days = ["2026-01-01T00:00:00Z", "2026-01-02T00:00:00Z"]
    assert [run["run_after"] for run in answer["runs"]] == days
    assert [run["logical_date"] for run in answer["runs"]] == days
    assert [reason["code"] for reason in answer["held_back_by"]] == ["dag_paused"]


@pytest.mark.parametrize("asked", [{}, {"duration": 0}], ids=["foreseen", "simulated"])
def test_days_on_which_clocks_are_moved_are_told_of(
    client: TestClient, any_world: World, asked: dict[str, int]
) -> None:
    """C1: whether something else is to be tried out or not; in the zone of the timetable."""
    timetable = AssetOrTime(CronTrigger("0 12 28-31 3 *", "Europe/Berlin"))
    any_world.dag(dag_id="spring", timetable=timetable, assets=AssetRef("orders", "orders"), start_at=START)

    answer = client.get(f"{DAGS}/spring/upcoming", params={"limit": 3, **asked}).json()

    assert [(run["run_after"][:10], run["clock_change_s"]) for run in answer["runs"]] == [
        ("2026-03-28", None),
        ("2026-03-29", 3600.0),
        ("2026-03-30", None),
    ]


def test_what_a_simulation_assumes_is_said_without_the_options_of_a_command(
    client: TestClient, any_world: World
) -> None:
    any_world.dag(dag_id="daily", timetable=DAILY, start_at=START)

    answer = client.get(f"{DAGS}/daily/upcoming", params={"catchup": False}).json()

    assert answer["notes"][0] == (
        "runs are assumed to take no time, since none has ended yet; say how long they, or their tasks, shall take"
    )


def test_what_would_be_different_is_simulated(client: TestClient, any_world: World) -> None:
    """C1: another schedule, another limit, runs that take long; nothing is changed by asking."""
    any_world.dag(dag_id="daily", timetable=DAILY, start_at=START, catchup=True)
    asked: dict[str, str | int] = {
        "limit": 3,
        "schedule": "0 */6 * * *",
        "max_active_runs": 1,
        "duration": 30_000,
        "catchup": False,
    }

    answer = client.get(f"{DAGS}/daily/upcoming", params=asked).json()

    first, second, third = answer["runs"]
    assert (first["held_by"], second["held_by"]) == (None, "max_active_runs")
    assert second["starts_at"] == first["ends_at"]
    assert third["run_after"] > second["run_after"]
    assert "assumed" in answer["notes"][0]
    refused = client.get(f"{DAGS}/daily/upcoming", params={"schedule": "61 * * * *"})
    assert refused.status_code == 400
    assert "minute 61" in refused.json()["detail"]
    assert client.get(f"{DAGS}/none/upcoming", params={"schedule": "@daily"}).status_code == 404


@pytest.mark.parametrize(
    ("timetable", "note"),
    [
        (AssetAndTime(CronTrigger("@daily")), "each tick is assumed to find what it waits for: orders"),
        (AssetOrTime(CronTrigger("@daily")), "updates of orders make further runs, which are not told here"),
    ],
)
def test_a_simulation_says_what_it_assumes_of_assets(
    client: TestClient, any_world: World, timetable: AssetAndTime | AssetOrTime, note: str
) -> None:
    """C3, C4."""
    any_world.dag(dag_id="mixed", timetable=timetable, assets=AssetRef("orders", "orders"), start_at=START)

    answer = client.get(f"{DAGS}/mixed/upcoming", params={"duration": 60, "limit": 1}).json()

    assert len(answer["runs"]) == 1
    assert note in answer["notes"]


def test_what_has_no_next_run_says_why(client: TestClient, any_world: World) -> None:
    any_world.dag(dag_id="never")

    answer = client.get(f"{DAGS}/never/upcoming").json()

    assert answer["runs"] == []
    assert [reason["code"] for reason in answer["held_back_by"]] == ["not_scheduled"]
    assert client.get(f"{DAGS}/none/upcoming").status_code == 404
    assert client.get(f"{DAGS}/never/upcoming", params={"limit": 1000}).status_code == 422


def test_who_may(connect: Connect, several: World) -> None:
    """(D4) Who was granted one DAG sees that one, and no other."""
    several.dag(dag_id="granted", tags=("mine",))
    guest = connect("guest")

    assert connect(None).get(DAGS).status_code == 401
    assert ids(guest) == ["granted"]
    assert guest.get(f"{DAGS}/granted").status_code == 200
    assert guest.get(f"{DAGS}/a_daily").status_code == 403
    assert guest.patch(f"{DAGS}/granted", json={"is_paused": True}).status_code == 403
    assert guest.patch(DAGS, json={"is_paused": True}, params={"dag_id_pattern": "~"}).status_code == 403
    assert connect("viewer").patch(f"{DAGS}/a_daily", json={"is_paused": True}).status_code == 403
    assert connect("user").patch(f"{DAGS}/a_daily", json={"is_paused": True}).status_code == 200
    assert connect("viewer").delete(f"{DAGS}/a_daily").status_code == 403
    assert connect("viewer").post(f"{DAGS}/a_daily/favorite").status_code == 204
