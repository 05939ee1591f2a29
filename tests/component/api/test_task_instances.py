"""Task instances by the REST API: lists, pages, one at a time (B1, D4)."""

from typing import Any

from fastapi.testclient import TestClient

from tests.component.api.conftest import Connect
from tests.component.world import PatientExecutor, World, defers, fails
from tradewind.model.dag import Retry, Task, TaskGroup
from tradewind.model.ids import TaskKey, try_id
from tradewind.model.mapping import FixedLength
from tradewind.model.trigger import NewTrigger

RUN = "/api/v2/dags/sales/dagRuns/r1/taskInstances"
EVERYWHERE = "/api/v2/dags/~/dagRuns/~/taskInstances"
CHAIN = (Task("a"), Task("b", upstream=("a",)), Task("c", upstream=("b",)))


def names(client: TestClient, url: str = RUN, **query: Any) -> list[str]:
    answer = client.get(url, params=query)
    assert answer.status_code == 200, answer.text
    return [task["task_id"] for task in answer.json()["task_instances"]]


def finished(world: World, **endings: Any) -> None:
    world.dag(*CHAIN)
    world.trigger()
    world.scheduler(endings=endings)
    world.settle()


def test_all_that_there_is_to_know_about_one(any_world: World, client: TestClient) -> None:
    any_world.dag(
        Task(
            "load",
            operator="@task",
            display_name="Load it",
            retry=Retry(2),
            details={"task_type": "_PythonDecoratedOperator", "executor_config": {"max_memory": "1G"}},
        ),
        display_name="Sales!",
    )
    run_key = any_world.trigger()
    executor = PatientExecutor(any_world.clock)
    any_world.scheduler(executor)
    any_world.settle()
    any_world.clock.advance(2.5)
    executor.end()
    any_world.settle()
    with any_world.database.begin() as tx:
        tx.rendered.put({TaskKey(run_key, "load"): {"sql": "select 1"}})

    shown = client.get(f"{RUN}/load").json()
    assert client.get(RUN).json()["task_instances"] == [shown]

    version = shown.pop("dag_version")
    assert (version["version_number"], version["dag_id"], version["dag_display_name"]) == (1, "sales", "Sales!")
    for instant in ("start_date", "end_date", "queued_when", "scheduled_when", "run_after"):
        assert shown.pop(instant).endswith("Z")
    assert shown == {
        "id": str(try_id("sales", "r1", "load", -1, 1)),
        "task_id": "load",
        "dag_id": "sales",
        "dag_run_id": "r1",
        "map_index": -1,
        "logical_date": None,
        "duration": 2.5,
        "state": "success",
        "try_number": 1,
        "max_tries": 2,
        "task_display_name": "Load it",
        "dag_display_name": "Sales!",
        "hostname": None,
        "unixname": None,
        "pool": "default_pool",
        "pool_slots": 1,
        "queue": "default",
        "priority_weight": 1,
        "operator": "_PythonDecoratedOperator",
        "operator_name": "@task",
        "pid": None,
        "executor": None,
        "executor_config": "{'max_memory': '1G'}",
        "note": None,
        "rendered_map_index": None,
        "rendered_fields": {"sql": "select 1"},
        "trigger": None,
        "triggerer_job": None,
    }


def test_a_task_without_a_state_has_none(any_world: World, client: TestClient) -> None:
    any_world.dag(*CHAIN)
    any_world.trigger()

    assert client.get(f"{RUN}/a").json()["state"] is None
    assert names(client, state="none") == names(client, state=["null", "failed"]) == ["a", "b", "c"]
    assert names(client, state="failed") == []
    assert client.get(RUN, params={"state": "lost"}).status_code == 422


def test_a_deferred_task_shows_its_trigger_but_not_what_it_was_given(any_world: World, client: TestClient) -> None:
    finished(any_world, a=defers())
    waiting = any_world.instances()["a"]
    now = any_world.clock.now()
    trigger = NewTrigger(
        attempt=waiting.attempt_key,
        class_path="sdk.triggers.Clock",
        kwargs='{"token": "s3cret"}',
        is_encrypted=False,
        created_at=now,
    )
    with any_world.database.begin() as tx:
        tx.triggers.add([trigger])
        job = tx.jobs.start("triggerer", hostname="far", pid=1, now=now)
        tx.triggers.claim(job, 1, now)

    answer = client.get(RUN, params={"state": "deferred"})

    (shown,) = answer.json()["task_instances"]
    assert (shown["trigger"]["classpath"], shown["trigger"]["kwargs"]) == ("sdk.triggers.Clock", "{}")
    assert shown["trigger"]["triggerer_id"] == shown["triggerer_job"]["id"] == job
    assert (shown["triggerer_job"]["job_type"], shown["triggerer_job"]["hostname"]) == ("TriggererJob", "far")
    assert "s3cret" not in answer.text


def test_pages_by_offset_and_by_cursor(any_world: World, client: TestClient) -> None:
    any_world.dag(*(Task(f"t{number}") for number in range(5)))
    any_world.trigger()

    by_offset = [client.get(RUN, params={"limit": 2, "offset": offset}).json() for offset in (0, 2, 4)]
    assert [[each["task_id"] for each in page["task_instances"]] for page in by_offset] == [
        ["t0", "t1"],
        ["t2", "t3"],
        ["t4"],
    ]
    assert {page["total_entries"] for page in by_offset} == {5}
    assert {page["next_cursor"] for page in by_offset} == {None}

    seen: list[str] = []
    pages: list[dict[str, Any]] = []
    cursor: str | None = ""
    while cursor is not None:
        page = client.get(RUN, params={"limit": 2, "cursor": cursor, "order_by": "-id"}).json()
        seen += [each["task_id"] for each in page["task_instances"]]
        pages.append(page)
        cursor = page["next_cursor"]
    back = client.get(RUN, params={"limit": 2, "cursor": pages[-1]["previous_cursor"], "order_by": "-id"}).json()

    assert seen == ["t4", "t3", "t2", "t1", "t0"]
    assert back["task_instances"] == pages[1]["task_instances"]
    assert pages[0]["previous_cursor"] is None
    assert pages[0]["total_entries"] == 5 < pages[0]["total_entries_limit"]
    assert client.get(RUN, params={"cursor": "nonsense"}).status_code == 400


QUERIES: list[tuple[dict[str, Any], list[str]]] = [
    ({"task_id": "b"}, ["b"]),
    ({"state": ["success", "failed"]}, ["a", "b"]),
    ({"state": "upstream_failed"}, ["c"]),
    ({"task_display_name_pattern": "FIRST"}, ["a"]),
    ({"task_display_name_prefix_pattern": "b|c"}, ["b", "c"]),
    ({"task_group_id": "outer"}, ["b", "c"]),
    ({"task_group_id": "inner"}, ["c"]),
    ({"dag_id_pattern": "ALE", "run_id_prefix_pattern": "r"}, ["a", "b", "c"]),
    ({"run_id_pattern": "r2"}, []),
    ({"pool": ["narrow"]}, ["c"]),
    ({"pool_name_pattern": "DEFAULT"}, ["a", "b"]),
    ({"queue_name_prefix_pattern": "def"}, ["a", "b", "c"]),
    ({"executor": ["KubernetesExecutor"]}, ["b"]),
    ({"operator": ["_PythonDecoratedOperator"]}, ["a"]),
    ({"operator_name_pattern": "@task"}, ["a"]),
    ({"operator": ["BaseOperator"]}, ["b", "c"]),
    ({"version_number": [1]}, ["a", "b", "c"]),
    ({"version_number": [2]}, []),
    ({"try_number": [1]}, ["a", "b"]),
    ({"map_index": [-1]}, ["a", "b", "c"]),
    ({"duration_gte": 1.5}, ["a"]),
    ({"duration_lt": 1.5}, ["b"]),
    ({"start_date_gte": "2026-01-01T00:00:02"}, ["b"]),
    ({"end_date_lte": "2026-01-01T00:00:02Z"}, ["a", "b", "c"]),
    ({"run_after_gt": "2026-01-01T00:00:00Z"}, []),
    ({"logical_date_gte": "2000-01-01T00:00:00Z"}, []),
    ({"updated_at_gte": "2026-01-01T00:00:02Z"}, ["a", "b", "c"]),
    ({"updated_at_gt": "2026-01-01T00:00:02Z"}, []),
    ({"updated_at_lte": "2026-01-01T00:00:02Z"}, ["a", "b", "c"]),
    ({"updated_at_lt": "2026-01-01T00:00:02Z"}, []),
    ({"rendered_map_index_pattern": "x"}, []),
    ({"order_by": "-operator"}, ["a", "b", "c"]),
    ({"order_by": ["state", "id"]}, ["b", "a", "c"]),
    ({"order_by": "-duration"}, ["a", "b", "c"]),
    ({"order_by": ["data_interval_start", "-start_date"]}, ["b", "a", "c"]),
]


def test_what_lists_can_be_asked_for(any_world: World, client: TestClient) -> None:
    """All in one test: to make databases takes longer than to ask them."""
    world = any_world
    world.pool("narrow", 1)
    world.dag(
        Task("a", operator="@task", display_name="The first", details={"task_type": "_PythonDecoratedOperator"}),
        Task("b", upstream=("a",), group_id="outer", executor="KubernetesExecutor"),
        Task("c", upstream=("b",), group_id="inner", pool="narrow"),
        groups=(TaskGroup("outer"), TaskGroup("inner", parent_id="outer")),
    )
    world.trigger()
    executor = PatientExecutor(world.clock, name="KubernetesExecutor")
    local = PatientExecutor(world.clock)
    world.scheduler([local, executor])
    world.settle()
    world.clock.advance(2)
    local.end()
    world.settle()
    executor.end(ending=fails())
    world.settle()

    assert [(query, names(client, **query)) for query, _ in QUERIES] == QUERIES
    for query, expected in QUERIES:
        if "task_group_id" not in query:
            assert names(client, EVERYWHERE, **query) == expected


def test_mapped_tasks(any_world: World, client: TestClient) -> None:
    any_world.dag(Task("plain"), Task("copies", mapping=FixedLength(3)), Task("nothing", mapping=FixedLength(0)))
    key = any_world.trigger()
    any_world.scheduler(endings={"copies[1]": fails()})
    any_world.settle()
    with any_world.database.begin() as tx:
        tx.rendered.name_instances({TaskKey(key, "copies", 1): "Zürich"})

    def listed(**query: Any) -> list[int]:
        answer = client.get(f"{RUN}/copies/listMapped", params=query)
        assert answer.status_code == 200, answer.text
        return [each["map_index"] for each in answer.json()["task_instances"]]

    assert listed() == [0, 1, 2]
    assert listed(state="failed") == listed(rendered_map_index_pattern="rich") == [1]
    assert listed(order_by="-map_index", limit=1, offset=1) == [1]
    assert client.get(f"{RUN}/copies/1").json()["rendered_map_index"] == "Zürich"
    assert client.get(f"{RUN}/plain/-1").json()["task_id"] == "plain"
    assert client.get(f"{RUN}/copies/7").status_code == 404
    assert "map_index" in client.get(f"{RUN}/copies").json()["detail"]
    assert client.get(f"{RUN}/nothing/listMapped").json()["task_instances"] == []
    assert client.get(f"{RUN}/plain/listMapped").json() == {"detail": "Task id plain is not mapped"}
    assert client.get(f"{RUN}/missing/listMapped").status_code == 404


def test_lists_of_all_dags(any_world: World, connect: Connect) -> None:
    finished(any_world)
    any_world.dag(Task("x"), dag_id="granted")
    any_world.trigger("granted", "g1")
    client = connect("viewer")

    assert names(client, EVERYWHERE) == ["a", "b", "c", "x"]
    assert names(client, "/api/v2/dags/granted/dagRuns/~/taskInstances") == ["x"]
    assert client.get("/api/v2/dags/~/dagRuns/r1/taskInstances").status_code == 400
    assert client.get("/api/v2/dags/missing/dagRuns/~/taskInstances").status_code == 404
    assert client.get("/api/v2/dags/sales/dagRuns/missing/taskInstances").status_code == 404
    assert client.get(EVERYWHERE, params={"task_group_id": "x"}).status_code == 400

    def asked(**body: Any) -> list[str]:
        answer = client.post(f"{EVERYWHERE}/list", json=body)
        assert answer.status_code == 200, answer.text
        return [task["task_id"] for task in answer.json()["task_instances"]]

    assert asked() == ["a", "b", "c", "x"]
    assert asked(dag_ids=["sales"], task_ids=["a", "b"], order_by="-id") == ["b", "a"]
    assert asked(state=[None], page_limit=5) == ["x"]
    assert asked(dag_run_ids=["r1"], state=["success"], duration_lte=3, page_offset=2) == ["c"]
    assert client.post(f"{EVERYWHERE}/list", json={"colour": "red"}).status_code == 422
    assert client.post("/api/v2/dags/sales/dagRuns/~/taskInstances/list", json={}).status_code == 422


def test_who_may_see_what(any_world: World, connect: Connect) -> None:
    finished(any_world)
    any_world.dag(Task("x"), dag_id="granted")
    any_world.trigger("granted", "g1")
    guest = connect("guest")

    assert connect(None).get(RUN).status_code == 401
    assert guest.get(RUN).status_code == guest.get(f"{RUN}/a").status_code == 403
    assert names(guest, EVERYWHERE) == ["x"]
    assert [each["task_id"] for each in guest.post(f"{EVERYWHERE}/list", json={}).json()["task_instances"]] == ["x"]


NONSENSE: list[tuple[str, dict[str, Any]]] = [
    (f"{RUN}/99999999999999999999999", {}),
    (f"{RUN}/a/99999999999999999999999", {}),
    (f"{RUN}/a/{'9' * 5000}", {}),
    (RUN, {"map_index": 10**30}),
    (RUN, {"offset": 10**30}),
    (RUN, {"start_date_gte": "yesterday"}),
    (RUN, {"start_date_gte": "0001-01-01T00:00:00+14:00"}),
    (RUN, {"duration_gte": "nan"}),
    (RUN, {"duration_gte": "1e400"}),
    (RUN, {"order_by": "reason; drop table"}),
    (RUN, {"task_id": "\0"}),
    (RUN, {"task_display_name_prefix_pattern": "\udfff".encode("utf-8", "surrogatepass")}),
]


def test_nonsense_is_no_accident(any_world: World, client: TestClient) -> None:
    """Refused, or found nowhere; databases differ in what they can compare with what."""
    finished(any_world)

    for path, query in NONSENSE:
        answer = client.get(path, params=query)
        assert answer.status_code in (200, 400, 404, 422), query
        assert answer.status_code != 200 or answer.json()["task_instances"] == [], query


# --- tries, and why it does not run


def test_the_tries_of_a_task_and_what_they_used(any_world: World, client: TestClient) -> None:
    any_world.dag(Task("a", retry=Retry(1, delay_s=60)))
    any_world.trigger()
    executor = PatientExecutor(any_world.clock)
    any_world.scheduler(executor)

    def tries() -> list[tuple[int, str | None]]:
        found = client.get(f"{RUN}/a/tries").json()
        assert found["total_entries"] == len(found["task_instances"])
        return [(each["try_number"], each["state"]) for each in found["task_instances"]]

    assert tries() == [(0, None)]
    any_world.settle()
    assert tries() == [(1, "running")]
    executor.end(ending=fails())
    any_world.settle()
    assert tries() == [(1, "failed")]
    any_world.pass_time(100)
    assert tries() == [(1, "failed"), (2, "running")]
    executor.end()
    any_world.settle()
    any_world.clear("a")
    assert tries() == [(1, "failed"), (2, "success")]
    any_world.settle()
    assert tries() == [(1, "failed"), (2, "success"), (3, "running")]

    second = client.get(f"{RUN}/a/tries/2").json()
    assert second == client.get(f"{RUN}/a/-1/tries/2").json()
    assert (second["state"], second["dag_version"]["version_number"]) == ("success", 1)
    assert client.get(f"{RUN}/a/tries/4").status_code == 404
    assert client.get(f"{RUN}/a/3/tries").status_code == client.get(f"{RUN}/missing/tries").status_code == 404

    attempts = client.get(f"{RUN}/a/attempts").json()["attempts"]
    assert [(each["attempt"], each["try_number"], each["reason"]) for each in attempts] == [
        (1, 1, "boom"),
        (2, 2, None),
        (3, 3, None),
    ]


def test_why_a_task_does_not_run(any_world: World, client: TestClient) -> None:
    any_world.pool("closed", 0)
    any_world.dag(Task("a", pool="closed"), Task("b", upstream=("a",)), Task("c"))
    any_world.trigger()
    executor = PatientExecutor(any_world.clock)
    any_world.scheduler(executor)
    any_world.settle()

    waiting, behind, running = (client.get(f"{RUN}/{name}/explain").json() for name in "abc")

    assert (waiting["state"], waiting["is_running"]) == ("scheduled", False)
    assert waiting["reasons"][0]["details"]["pool"] == "closed"
    assert waiting["summary"].endswith(".")
    assert behind["reasons"][0]["code"] == "dependencies_wait"
    assert behind["reasons"][0]["details"] == {"unfinished_upstream": ["a"]}
    assert (running["is_running"], running["reasons"]) == (True, [])
    assert client.get(f"{RUN}/missing/explain").status_code == 404

    def blocking(path: str) -> list[str]:
        return [each["name"] for each in client.get(f"{RUN}/{path}").json()["dependencies"]]

    assert blocking("b/dependencies") == blocking("b/-1/dependencies") == ["dependencies_wait"]
    assert blocking("c/dependencies") == []
    executor.end()
    any_world.settle()
    assert blocking("c/dependencies") == []
    assert client.get(f"{RUN}/c/explain").json()["summary"] == "The task has ended: success."
