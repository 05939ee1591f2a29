"""Task instances changed by the REST API: cleared, marked, noted, deleted, many at once (B1, D4)."""

from datetime import timedelta
from typing import Any

from fastapi.testclient import TestClient

from tests.component.api.conftest import Connect
from tests.component.world import PatientExecutor, World, fails
from tradewind.api.auth.access import Action, Level, Principal
from tradewind.api.services import Services
from tradewind.model.dag import Task, TaskGroup
from tradewind.model.mapping import FixedLength
from tradewind.model.states import RunState

DAG = "/api/v2/dags/sales"
RUN = f"{DAG}/dagRuns/r1/taskInstances"
CLEAR = f"{DAG}/clearTaskInstances"
CHAIN = (Task("a"), Task("b", upstream=("a",)), Task("c", upstream=("b",)))
DAY = timedelta(days=1)


def finished(world: World, *tasks: Task, days: int = 1, endings: Any = None, **values: Any) -> None:
    world.dag(*(tasks or CHAIN), **values)
    for day in range(days):
        world.trigger(run_id=f"r{day + 1}", logical_date=world.clock.now() + (day - 10) * DAY)
    world.scheduler(endings=endings or {})
    world.settle()


def affected(answer: Any) -> list[str]:
    """As `load`, or `load[2]`; those of other runs than `r1` with their run."""
    assert answer.status_code == 200, answer.text
    found = answer.json()
    assert found["total_entries"] == len(found["task_instances"])
    return [
        ("" if task["dag_run_id"] == "r1" else f"{task['dag_run_id']}.")
        + (task["task_id"] if task["map_index"] < 0 else f"{task['task_id']}[{task['map_index']}]")
        for task in found["task_instances"]
    ]


# --- clear


def test_nothing_is_cleared_before_it_is_meant(any_world: World, client: TestClient) -> None:
    finished(any_world, endings={"b": fails()})

    assert affected(client.post(CLEAR, json={"dag_run_id": "r1"})) == ["b", "c"]
    assert any_world.states() == {"a": "success", "b": "failed", "c": "upstream_failed"}

    body = {"dag_run_id": "r1", "dry_run": False, "note": "again"}
    cleared = client.post(CLEAR, json=body)
    assert affected(cleared) == ["b", "c"]
    assert {(task["state"], task["note"]) for task in cleared.json()["task_instances"]} == {(None, "again")}
    assert any_world.run().state is RunState.QUEUED


def test_what_is_cleared(any_world: World, client: TestClient) -> None:
    finished(any_world, days=3)
    r1 = {"dag_run_id": "r1", "only_failed": False}

    def cleared(**body: Any) -> list[str]:
        return affected(client.post(CLEAR, json={"only_failed": False, **body}))

    assert affected(client.post(CLEAR, json={"dag_run_id": "r1"})) == []
    assert cleared(**r1) == ["a", "b", "c"]
    assert cleared(**r1, task_ids=["b"], include_downstream=True) == ["b", "c"]
    assert cleared(**r1, task_ids=[["b", -1]], include_upstream=True) == ["a", "b"]
    assert cleared(dag_run_id="r2", task_ids=["a"], include_past=True) == ["a", "r2.a"]
    assert cleared(dag_run_id="r2", task_ids=["a"], include_future=True) == ["r2.a", "r3.a"]
    assert cleared(task_ids=["c"]) == ["c", "r2.c", "r3.c"]
    second = (any_world.clock.now() - 9 * DAY).isoformat()
    assert cleared(task_ids=["c"], start_date=second) == ["r2.c", "r3.c"]
    assert cleared(task_ids=["c"], end_date=second) == ["c", "r2.c"]
    assert cleared(task_ids=["c"], start_date=second, end_date=second) == ["r2.c"]
    assert cleared(only_running=True) == []


def test_one_instance_of_a_mapped_group_takes_those_beside_it_along(any_world: World, client: TestClient) -> None:
    finished(
        any_world,
        Task("in", group_id="copies"),
        Task("out", group_id="copies", upstream=("in",)),
        Task("after", upstream=("out",)),
        groups=(TaskGroup("copies", mapping=FixedLength(3)),),
    )
    body = {"dag_run_id": "r1", "only_failed": False, "include_downstream": True}

    one = client.post(CLEAR, json={**body, "task_ids": [["in", 1]]})
    all_of_them = client.post(CLEAR, json={**body, "task_ids": ["in"]})

    assert affected(one) == ["after", "in[1]", "out[1]"]
    assert len(affected(all_of_them)) == 7


def test_a_run_may_stay_ended_or_go_on_with_the_newest_version(any_world: World, client: TestClient) -> None:
    finished(any_world)
    any_world.pool("wide", 9)
    body = {"dag_run_id": "r1", "only_failed": False, "dry_run": False, "task_ids": ["b"]}

    client.post(CLEAR, json={**body, "reset_dag_runs": False})
    assert (any_world.run().state, any_world.states()["b"]) == (RunState.SUCCESS, "none")

    any_world.dag(*CHAIN[:1], Task("b", upstream=("a",), pool="wide"), Task("new", upstream=("b",)))
    cleared = client.post(CLEAR, json={**body, "task_ids": ["c"], "run_on_latest_version": True})
    assert affected(cleared) == ["c"]
    any_world.settle()

    assert any_world.states() == {"a": "success", "b": "success", "c": "removed", "new": "success"}
    assert any_world.instances()["b"].pool == "wide"
    assert client.get(f"{RUN}/b").json()["dag_version"]["version_number"] == 2


def test_running_tasks_start_over_unless_that_is_prevented(any_world: World, client: TestClient) -> None:
    any_world.dag(*CHAIN)
    any_world.trigger()
    any_world.scheduler(PatientExecutor(any_world.clock))
    any_world.settle()
    body = {"dag_run_id": "r1", "only_failed": False, "dry_run": False}

    refused = client.post(CLEAR, json={**body, "prevent_running_task": True})
    assert (refused.status_code, any_world.states()["a"]) == (409, "running")
    assert affected(client.post(CLEAR, json={**body, "only_running": True})) == ["a"]
    assert any_world.states()["a"] == "restarting"


def test_clearing_that_makes_no_sense_is_refused(any_world: World, client: TestClient) -> None:
    finished(any_world)
    now = any_world.clock.now().isoformat()
    refusals: list[tuple[dict[str, Any], int]] = [
        ({"only_failed": True, "only_running": True}, 422),
        ({"start_date": now, "end_date": "2000-01-01T00:00:00Z"}, 422),
        ({"dag_run_id": "r1", "start_date": now}, 422),
        ({"include_past": True}, 422),
        ({"task_ids": []}, 422),
        ({"task_ids": [["b", 1, 2]]}, 422),
        ({"note": "x" * 1001}, 422),
        ({"colour": "red"}, 422),
        ({"dag_run_id": "missing"}, 404),
        ({"dag_run_id": "r1", "task_ids": ["missing"]}, 404),
        ({"dag_run_id": "r1", "only_failed": False, "task_ids": [["b", 7]]}, 404),
    ]

    assert [(body, client.post(CLEAR, json=body).status_code) for body, _ in refusals] == refusals
    assert client.post("/api/v2/dags/missing/clearTaskInstances", json={}).status_code == 404
    assert client.post(CLEAR, content=b"[]").status_code == 422


# --- mark and note


def test_a_task_is_marked_and_noted(any_world: World, client: TestClient) -> None:
    finished(any_world, endings={"b": fails()})
    body = {"new_state": "success", "note": "was fine", "include_downstream": True}

    would = client.patch(f"{RUN}/b/dry_run", json=body)
    assert affected(would) == affected(client.patch(f"{RUN}/b/-1/dry_run", json=body)) == ["b", "c"]
    assert any_world.states()["b"] == "failed"

    marked = client.patch(f"{RUN}/b", json=body)
    assert affected(marked) == ["b", "c"]
    assert {task["note"] for task in marked.json()["task_instances"]} == {"was fine"}
    assert any_world.states() == {"a": "success", "b": "success", "c": "success"}
    again = client.patch(f"{RUN}/b", json={"new_state": "success"})
    assert (again.status_code, again.json()) == (409, {"detail": "task 'b' is already success"})


def test_only_what_the_mask_names_changes(any_world: World, client: TestClient) -> None:
    finished(any_world)
    body = {"new_state": "failed", "note": "only this"}

    noted = client.patch(f"{RUN}/a/-1", json=body, params={"update_mask": ["note"]})

    assert affected(noted) == ["a"]
    assert (any_world.instances()["a"].state, any_world.instances()["a"].note) == ("success", "only this")
    client.patch(f"{RUN}/a", json={"note": None})
    assert any_world.instances()["a"].note is None
    assert client.patch(f"{RUN}/a", json=body, params={"update_mask": ["colour"]}).status_code == 400


def test_instances_of_mapped_tasks_are_marked_alone_or_together(any_world: World, client: TestClient) -> None:
    finished(any_world, Task("copies", mapping=FixedLength(3)), days=2)

    one = client.patch(f"{RUN}/copies/1", json={"new_state": "failed"})
    rest = client.patch(f"{RUN}/copies", json={"new_state": "failed", "include_future": True})

    assert affected(one) == ["copies[1]"]
    assert affected(rest) == ["copies[0]", "copies[2]", "r2.copies[0]", "r2.copies[1]", "r2.copies[2]"]
    by_query = client.patch(f"{RUN}/copies", json={"new_state": "skipped"}, params={"map_index": 2})
    assert affected(by_query) == ["copies[2]"]


def test_the_tasks_of_a_group_are_marked_together(any_world: World, client: TestClient) -> None:
    finished(
        any_world,
        Task("a"),
        Task("b", group_id="outer", upstream=("a",)),
        Task("c", group_id="inner", upstream=("b",)),
        groups=(TaskGroup("outer"), TaskGroup("inner", parent_id="outer")),
    )
    group = f"{DAG}/dagRuns/r1/taskGroupInstances/outer"

    would = client.patch(f"{group}/dry_run", json={"new_state": "skipped"})
    marked = client.patch(group, json={"new_state": "skipped"})

    assert affected(would) == affected(marked) == ["b", "c"]
    assert any_world.states() == {"a": "success", "b": "skipped", "c": "skipped"}
    assert client.patch(group, json={"new_state": "skipped"}).status_code == 409
    missing = f"{DAG}/dagRuns/r1/taskGroupInstances/missing"
    assert client.patch(missing, json={"new_state": "skipped"}).status_code == 404


def test_changes_that_make_no_sense_are_refused(any_world: World, client: TestClient) -> None:
    finished(any_world)
    refusals: list[tuple[str, dict[str, Any], int]] = [
        ("a", {"new_state": "running"}, 422),
        ("a", {"new_state": None}, 422),
        ("a", {"new_state": "lost"}, 422),
        ("a", {}, 400),
        ("missing", {"new_state": "failed"}, 404),
        ("a/3", {"new_state": "failed"}, 404),
        ("a/3/dry_run", {"new_state": "failed"}, 404),
    ]

    found = [(path, body, client.patch(f"{RUN}/{path}", json=body).status_code) for path, body, _ in refusals]
    assert found == refusals
    assert client.patch(f"{DAG}/dagRuns/missing/taskInstances/a", json={"note": "x"}).status_code == 404


# --- delete


def test_a_deleted_task_is_gone_and_its_run_goes_on_without_it(any_world: World, client: TestClient) -> None:
    any_world.dag(*CHAIN)
    any_world.trigger()
    executor = PatientExecutor(any_world.clock)
    any_world.scheduler(executor)
    any_world.settle()

    assert client.delete(f"{RUN}/a").status_code == 409
    deleted = client.delete(f"{RUN}/b")
    assert (deleted.status_code, deleted.json()) == (200, None)
    assert client.delete(f"{RUN}/b").status_code == client.delete(f"{RUN}/c?map_index=3").status_code == 404
    executor.end()
    any_world.settle()
    executor.end()
    any_world.settle()

    assert any_world.states() == {"a": "success", "c": "success"}
    assert any_world.run().state is RunState.SUCCESS


# --- many at once


def test_many_at_once(any_world: World, client: TestClient) -> None:
    finished(any_world, Task("a"), Task("copies", mapping=FixedLength(2)), days=2)
    actions = [
        {"action": "create", "entities": [{"task_id": "new"}]},
        {
            "action": "update",
            "entities": [
                {"task_id": "copies", "new_state": "failed", "note": "both"},
                {"task_id": "missing", "new_state": "failed"},
                {"task_id": "a", "dag_run_id": "r2", "new_state": "failed"},
            ],
            "action_on_non_existence": "skip",
        },
        {"action": "delete", "entities": ["a", {"task_id": "copies", "map_index": 7}]},
    ]

    answer = client.patch(RUN, json={"actions": actions}).json()

    assert [error["status_code"] for error in answer["create"]["errors"]] == [405]
    assert answer["update"]["success"] == ["sales.r1.copies[0]", "sales.r1.copies[1]"]
    assert [error["status_code"] for error in answer["update"]["errors"]] == [400]
    assert answer["delete"]["success"] == ["sales.r1.a[-1]"]
    assert [error["status_code"] for error in answer["delete"]["errors"]] == [404]
    assert any_world.states() == {"copies[0]": "failed", "copies[1]": "failed"}

    everywhere = "/api/v2/dags/~/dagRuns/~/taskInstances"
    entity = {"task_id": "a", "dag_id": "sales", "dag_run_id": "r2", "new_state": "skipped", "map_index": -1}
    update = {"action": "update", "entities": [entity, {"task_id": "a", "note": "whose?"}]}
    answer = client.patch(everywhere, json={"actions": [update]}).json()
    assert answer["update"]["success"] == ["sales.r2.a[-1]"]
    assert [error["status_code"] for error in answer["update"]["errors"]] == [400]


def test_who_may(any_world: World, connect: Connect) -> None:
    finished(any_world, endings={"b": fails()})
    any_world.dag(Task("x"), dag_id="granted")
    any_world.trigger("granted", "g1")
    viewer, user, guest = connect("viewer"), connect("user"), connect("guest")

    assert viewer.post(CLEAR, json={"dag_run_id": "r1"}).status_code == 403
    assert viewer.patch(f"{RUN}/a", json={"note": "x"}).status_code == 403
    assert viewer.patch(f"{RUN}/a/dry_run", json={"note": "x"}).status_code == 403
    assert user.patch(f"{RUN}/a", json={"note": "x"}).status_code == 200
    assert user.post(CLEAR, json={"dag_run_id": "r1"}).status_code == 200
    assert viewer.delete(f"{RUN}/a").status_code == 403
    assert user.delete(f"{RUN}/a").status_code == 200
    everywhere = "/api/v2/dags/~/dagRuns/~/taskInstances"
    entity = {"task_id": "x", "dag_id": "granted", "dag_run_id": "g1", "note": "x"}
    update = {"actions": [{"action": "update", "entities": [entity]}]}
    assert guest.patch(everywhere, json=update).status_code == 403


def test_who_may_change_one_dag_may_not_change_another_from_within(
    any_world: World, services: Services, connect: Connect
) -> None:
    finished(any_world)
    services.find_principal = lambda _: Principal("editor", Level.NOBODY, {"granted": frozenset(Action)})
    entity = {"task_id": "a", "dag_id": "sales", "dag_run_id": "r1", "note": "x"}
    actions = [{"action": action, "entities": [entity]} for action in ("update", "delete")]

    answer = connect("editor").patch("/api/v2/dags/~/dagRuns/~/taskInstances", json={"actions": actions}).json()

    assert [answer[action]["errors"][0]["status_code"] for action in ("update", "delete")] == [403, 403]
    assert any_world.instances()["a"].note is None
