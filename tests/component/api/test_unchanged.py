"""Answers that a client has already (A8)."""

import pytest
from fastapi.testclient import TestClient

from tests.component.api.conftest import GUEST, Connect
from tests.component.world import World
from tradewind.model.dag import Dag, Task

DAGS = "/api/v2/dags"


@pytest.fixture
def any_world(world: World) -> World:
    """Nothing here depends on the database: one kind will do."""
    for dag_id in ("etl", "granted"):
        world.publish(Dag(dag_id, (Task("load"),)))
    return world


def test_what_did_not_change_is_not_sent_again(client: TestClient) -> None:
    """A8: ETags."""
    first = client.get(DAGS)
    again = client.get(DAGS, headers={"If-None-Match": first.headers["etag"]})

    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    for answer in (first, again):
        assert answer.headers["cache-control"] == "no-cache, private"
        assert answer.headers["vary"] == "Authorization, Cookie, Accept-Encoding"
    assert "content-length" not in again.headers


@pytest.mark.parametrize("said", ['W/{}, "other"', '"other" , {}', "*"])
def test_a_client_may_have_several_and_may_not_know_that_they_are_weak(client: TestClient, said: str) -> None:
    tag = client.get(DAGS).headers["etag"].removeprefix("W/")

    assert client.get(DAGS, headers={"If-None-Match": said.format(tag)}).status_code == 304


def test_a_change_changes_the_tag(client: TestClient) -> None:
    before = client.get(DAGS)
    client.patch(f"{DAGS}/etl", json={"is_paused": True}).raise_for_status()
    after = client.get(DAGS, headers={"If-None-Match": before.headers["etag"]})

    assert after.status_code == 200
    assert after.headers["etag"] != before.headers["etag"]


def test_the_tag_of_one_user_says_nothing_to_another(connect: Connect) -> None:
    """D6: what somebody may not see is not told by 304 either."""
    of_admin = connect("admin").get(DAGS).headers["etag"]
    of_guest = connect(GUEST).get(DAGS, headers={"If-None-Match": of_admin})

    assert of_guest.status_code == 200
    assert [dag["dag_id"] for dag in of_guest.json()["dags"]] == ["granted"]
    assert of_guest.headers["etag"] != of_admin
    assert connect(None).get(DAGS, headers={"If-None-Match": of_admin}).status_code == 401
    assert connect(GUEST).get(f"{DAGS}/etl", headers={"If-None-Match": "*"}).status_code == 403


@pytest.mark.parametrize(
    "path", ["variables", "connections", "config", "eventLogs", "monitor/health", "dags/none", "dags?limit=x"]
)
def test_secrets_refusals_and_what_always_changes_have_no_tag(client: TestClient, path: str) -> None:
    answer = client.get(f"/api/v2/{path}", headers={"If-None-Match": "*"})

    assert answer.status_code != 304
    assert "etag" not in answer.headers
    assert answer.headers["cache-control"] == "no-store"


def test_a_stream_is_passed_on_as_it_comes(client: TestClient) -> None:
    world_run = client.post(f"{DAGS}/etl/dagRuns", json={"dag_run_id": "one", "logical_date": None})
    world_run.raise_for_status()
    client.patch(f"{DAGS}/etl/dagRuns/one", json={"state": "success"}).raise_for_status()
    answer = client.get(f"{DAGS}/etl/dagRuns/one/wait?interval=1")

    assert answer.status_code == 200
    assert "etag" not in answer.headers


def test_the_page_of_the_api_needs_nothing_from_elsewhere(client: TestClient) -> None:
    answer = client.get("/docs")

    assert answer.status_code == 200
    assert "GET /api/v2/dags/{dag_id}/dagRuns" in answer.text
    assert "<script" not in answer.text
    assert "http" not in answer.text.replace("/openapi.json", "")
