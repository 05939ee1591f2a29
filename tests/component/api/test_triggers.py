"""What waiting tasks wait for, as the pages of Tradewind list it (E8, B1)."""

from datetime import timedelta

from fastapi.testclient import TestClient

from tests.component.api.conftest import Connect
from tests.component.world import World, defers
from tradewind.model.dag import Task
from tradewind.model.trigger import NewTrigger
from tradewind.model.trouble import Trouble

TRIGGERS = "/ui/triggers"


def waiting(world: World) -> int:
    """Two tasks wait; the trigger of the first runs, and has held up others. Returns the job of its triggerer."""
    world.dag(Task("a"), Task("b"))
    world.trigger()
    world.scheduler(endings={"a": defers(), "b": defers()})
    world.settle()
    now = world.clock.now()
    triggers = [
        NewTrigger(
            attempt=world.instances()[name].attempt_key,
            class_path=f"bells.{name.upper()}",
            kwargs='{"token": "s3cret"}',
            is_encrypted=False,
            created_at=now,
        )
        for name in ("a", "b")
    ]
    with world.database.begin() as tx:
        tx.triggers.add(triggers)
        job = tx.jobs.start("triggerer", hostname="far", pid=7, now=now)
        (claimed,) = tx.triggers.claim(job, 1, now + timedelta(seconds=1))
        trouble = Trouble(blocks=3, blocked_at=now, stack="bells.py, line 3", is_quarantined=True)
        tx.triggers.note_troubles({claimed.key: trouble}, job)
    return job


def test_the_list_says_who_runs_what_since_when_and_what_it_did_to_others(any_world: World, client: TestClient) -> None:
    job = waiting(any_world)

    answer = client.get(TRIGGERS)

    first, second = answer.json()["triggers"]
    at = any_world.clock.now()
    shown = {name: first[name] for name in ("classpath", "dag_id", "dag_run_id", "task_id", "map_index")}
    assert shown == {"classpath": "bells.A", "dag_id": "sales", "dag_run_id": "r1", "task_id": "a", "map_index": -1}
    assert (first["triggerer_id"], first["triggerer_hostname"], first["triggerer_pid"]) == (job, "far", 7)
    assert first["running_since"] == f"{at + timedelta(seconds=1):%Y-%m-%dT%H:%M:%SZ}"
    assert (first["blocked_count"], first["last_blocked_stack"], first["is_quarantined"]) == (
        3,
        "bells.py, line 3",
        True,
    )
    assert (second["triggerer_id"], second["running_since"], second["blocked_count"]) == (None, None, 0)
    assert (second["last_blocked"], second["is_quarantined"]) == (None, False)
    assert "s3cret" not in answer.text


def test_the_list_is_narrowed_and_shows_only_what_one_may_see(
    any_world: World, client: TestClient, connect: Connect
) -> None:
    job = waiting(any_world)

    def found(**query: str | float | bool) -> list[str]:
        return [each["task_id"] for each in client.get(TRIGGERS, params=query).json()["triggers"]]

    assert [found(), found(order_by="-id"), found(limit=1, offset=1)] == [["a", "b"], ["b", "a"], ["b"]]
    assert [found(has_blocked=True), found(has_blocked=False)] == [["a"], ["b"]]
    assert [found(is_quarantined=True), found(triggerer_id=job), found(task_id="b")] == [["a"], ["a"], ["b"]]
    assert [found(dag_id="sales"), found(dag_id="other"), found(dag_run_id="r2")] == [["a", "b"], [], []]
    assert client.get(TRIGGERS, params={"order_by": "kwargs"}).status_code == 400
    assert connect(None).get(TRIGGERS).status_code == 401
