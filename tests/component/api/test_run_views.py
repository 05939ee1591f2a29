"""What the pages show of the inside of runs (D4, D5)."""

from datetime import datetime, timedelta

from fastapi.testclient import TestClient

from tests.component.api.conftest import Connect
from tests.component.world import World, fails, in_turn, succeeds
from tradewind.model.dag import Dag, Retry, Task, TaskGroup
from tradewind.model.mapping import FixedLength
from tradewind.model.timetable import CronTrigger


def test_a_run_is_shown_in_time_with_every_attempt(client: TestClient, any_world: World) -> None:
    any_world.dag(Task("a", retry=Retry(retries=1, delay_s=60)), Task("b", upstream=("a",)))
    any_world.scheduler(endings={"a": in_turn(fails(), succeeds())})
    any_world.trigger(run_id="r1")
    any_world.settle()
    any_world.pass_time(61)
    any_world.settle()

    answer = client.get("/ui/gantt/sales/r1").json()

    assert (answer["run_id"], answer["state"]) == ("r1", "success")
    told = [(each["task_id"], each["attempt"], each["try_number"], each["state"]) for each in answer["attempts"]]
    assert told == [("a", 1, 1, "failed"), ("a", 2, 2, "success"), ("b", 1, 1, "success")]
    first = answer["attempts"][0]
    assert first["scheduled_at"] <= first["queued_at"] <= first["started_at"] <= first["finished_at"]
    assert client.get("/ui/gantt/sales/nothing").status_code == 404


def test_tasks_of_named_or_of_the_newest_runs_are_summed_up(client: TestClient, any_world: World) -> None:
    any_world.dag(Task("a", mapping=FixedLength(3)))
    any_world.scheduler(endings={"a[1]": fails(may_retry=False)})
    for run_id in ("r1", "r2"):
        any_world.trigger(run_id=run_id)
        any_world.pass_time(1)
    any_world.settle()

    newest = client.get("/ui/task_summaries/sales", params={"most": 1}).json()
    named = client.get("/ui/task_summaries/sales", params={"run_ids": ["r2", "r1"]}).json()

    ((run),) = newest["runs"]
    ((task),) = run["tasks"]
    assert run["run_id"] == "r2"
    assert (task["task_id"], task["states"], task["try_number"]) == ("a", {"success": 2, "failed": 1}, 1)
    assert task["start_date"] <= task["end_date"]
    assert [each["run_id"] for each in named["runs"]] == ["r2", "r1"]
    assert client.get("/ui/task_summaries/sales", params={"run_ids": ["gone"]}).status_code == 404
    assert client.get("/ui/task_summaries/nothing").status_code == 404


def test_a_task_is_documented_as_in_the_version_of_its_run(client: TestClient, any_world: World) -> None:
    """Also one that the newest version no longer has: nothing of it is an error."""
    any_world.dag(Task("a", details={"doc_md": "Loads *all*."}), Task("b"))
    any_world.trigger(run_id="r1")
    any_world.dag(Task("b"))

    assert client.get("/ui/task_doc/sales/r1/a").json() == {"doc_md": "Loads *all*."}
    assert client.get("/ui/task_doc/sales/r1/b").json() == {"doc_md": None}
    assert client.get("/ui/task_doc/sales/r1/new").json() == {"doc_md": None}
    assert client.get("/ui/task_doc/sales/nothing/a").status_code == 404


def test_one_task_or_a_group_is_summed_up_alone(client: TestClient, any_world: World) -> None:
    any_world.publish(
        Dag(
            "sales",
            (Task("a"), Task("g.b", group_id="g"), Task("g.h.c", group_id="g.h")),
            groups=(TaskGroup("g"), TaskGroup("g.h", parent_id="g")),
        )
    )
    any_world.trigger("sales", "r1")

    def told(**asked: str) -> list[str]:
        ((run),) = client.get("/ui/task_summaries/sales", params=asked).json()["runs"]
        return sorted(task["task_id"] for task in run["tasks"])

    assert told(task_ids="a") == ["a"]
    assert told(task_ids="unknown") == []
    assert told(group_id="g") == ["g.b", "g.h.c"]
    assert told(group_id="g.h") == ["g.h.c"]
    assert client.get("/ui/task_summaries/sales", params={"group_id": "gone"}).status_code == 404


def test_runs_are_counted_by_day_and_hour_of_a_zone(client: TestClient, any_world: World) -> None:
    any_world.dag(Task("a"))
    any_world.scheduler()
    any_world.trigger(run_id="r1")
    any_world.settle()
    day = any_world.clock.now().date().isoformat()
    days = {"first": day, "last": day}

    by_day = client.get("/ui/calendar/sales", params=days).json()
    by_hour = client.get("/ui/calendar/sales", params={**days, "by": "hour", "zone": "UTC"}).json()

    assert by_day == {"spans": {day: {"success": 1}}}
    (hour,) = by_hour["spans"]
    assert hour.startswith(f"{day}T")
    far = client.get("/ui/calendar/sales", params={**days, "zone": "Pacific/Kiritimati"})
    assert far.status_code == 200


def test_runs_to_come_are_counted_by_day_and_hour_of_a_zone(client: TestClient, any_world: World) -> None:
    """All of a year, however often the DAG runs; or until when they were looked for (C1)."""
    any_world.dag(Task("a"), timetable=CronTrigger("0 */6 * * *", "UTC"))
    any_world.dag(Task("a"), dag_id="busy", timetable=CronTrigger("*/5 * * * *", "UTC"))
    any_world.settle()
    tomorrow = any_world.clock.now().date() + timedelta(days=1)
    year = {"first": tomorrow.isoformat(), "last": (tomorrow + timedelta(days=364)).isoformat()}
    day = {"first": tomorrow.isoformat(), "last": tomorrow.isoformat(), "zone": "Asia/Tokyo", "by": "hour"}

    by_day = client.get("/ui/calendar/sales/coming", params=year).json()
    by_hour = client.get("/ui/calendar/sales/coming", params=day).json()
    busy = client.get("/ui/calendar/busy/coming", params=year).json()

    assert by_day["until"] is None
    assert (len(by_day["spans"]), set(by_day["spans"].values())) == (365, {4})
    assert by_hour["spans"] == {f"{tomorrow}T{hour:02}": 1 for hour in (3, 9, 15, 21)}
    assert busy["spans"][tomorrow.isoformat()] == 288
    until = datetime.fromisoformat(busy["until"])
    assert max(busy["spans"]) == until.date().isoformat()
    assert client.get("/ui/calendar/nothing/coming", params=year).status_code == 404
    assert client.get("/ui/calendar/sales/coming", params={**year, "zone": "Nowhere/Land"}).status_code in (400, 422)


def test_a_calendar_that_makes_no_sense_is_refused(client: TestClient, any_world: World) -> None:
    any_world.dag(Task("a"))

    def status(**values: str) -> int:
        return client.get(
            "/ui/calendar/sales", params={"first": "2026-01-01", "last": "2026-01-31", **values}
        ).status_code

    assert status() == 200
    assert status(zone="Nowhere/Land") in (400, 422)
    assert status(last="2025-12-31") in (400, 422)
    assert status(last="2028-01-01") in (400, 422)
    assert status(first="9999-12-31", last="9999-12-31") in (400, 422)
    assert status(first="0001-01-01", last="0001-01-01", zone="Asia/Tokyo") in (400, 422)
    assert status(by="week") == 422
    assert client.get("/ui/calendar/nothing", params={"first": "2026-01-01", "last": "2026-01-01"}).status_code == 404


def test_a_guest_sees_nothing_of_other_dags(connect: Connect, any_world: World) -> None:
    any_world.dag(Task("a"))
    any_world.trigger(run_id="r1")

    guest = connect("guest")

    assert guest.get("/ui/gantt/sales/r1").status_code in (403, 404)
    assert guest.get("/ui/task_summaries/sales").status_code in (403, 404)
