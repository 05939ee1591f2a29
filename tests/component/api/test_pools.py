"""Pools by the REST API (B1)."""

from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.component.api.conftest import Connect

POOLS = "/api/v2/pools"


def make(client: TestClient, name: str, slots: int = 3, **more: Any) -> None:
    assert client.post(POOLS, json={"name": name, "slots": slots, **more}).status_code == 201


def test_a_pool_is_made_changed_shown_and_deleted(client: TestClient) -> None:
    made = client.post(POOLS, json={"name": "narrow", "slots": 3, "description": "few"})
    assert (made.status_code, made.json()["open_slots"]) == (201, 3)

    changed = client.patch(f"{POOLS}/narrow", json={"slots": 5, "description": "more"}, params={"update_mask": "slots"})
    assert changed.json()["slots"] == 5
    assert client.get(f"{POOLS}/narrow").json() == {
        "name": "narrow",
        "slots": 5,
        "description": "few",
        "include_deferred": False,
        "occupied_slots": 0,
        "running_slots": 0,
        "queued_slots": 0,
        "scheduled_slots": 0,
        "open_slots": 5,
        "deferred_slots": 0,
        "team_name": None,
    }

    assert client.delete(f"{POOLS}/narrow").status_code == 204
    gone = client.get(f"{POOLS}/narrow")
    assert (gone.status_code, gone.json()) == (404, {"detail": "there is no pool 'narrow'"})


def test_pools_are_listed_by_pages_order_and_name(client: TestClient) -> None:
    for name, slots in (("a_1", 3), ("a_2", 1), ("b%", 2)):
        make(client, name, slots)

    def names(**query: Any) -> list[str]:
        answer = client.get(POOLS, params=query)
        assert answer.status_code == 200, answer.text
        return [pool["name"] for pool in answer.json()["pools"]]

    assert names() == ["a_1", "a_2", "b%", "default_pool"]
    assert client.get(POOLS, params={"limit": 1}).json()["total_entries"] == 4
    assert names(order_by="-slots", limit=2, offset=1) == ["a_1", "b%"]
    assert names(pool_name_pattern="A_|FAULT") == ["a_1", "a_2", "default_pool"]
    assert names(pool_name_prefix_pattern="a_|b") == ["a_1", "a_2", "b%"]
    assert names(pool_name_prefix_pattern="A") == []
    assert client.get(POOLS, params={"order_by": "secret"}).status_code == 400


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"name": "x", "slots": -2}, 422),
        ({"name": "x"}, 422),
        ({"name": "x", "slots": 1, "colour": "red"}, 422),
        ({"name": "default_pool", "slots": 1}, 409),
        ({"name": "", "slots": 1}, 400),
    ],
)
def test_what_makes_no_sense_is_refused(client: TestClient, body: dict[str, Any], status: int) -> None:
    answer = client.post(POOLS, json=body)
    assert answer.status_code == status
    assert answer.json()["detail"]


def test_many_at_once(client: TestClient) -> None:
    make(client, "old")
    actions = [
        {
            "action": "create",
            "entities": [{"name": "old", "slots": 9}, {"name": "new", "slots": 1}],
            "action_on_existence": "overwrite",
        },
        {"action": "update", "entities": [{"name": "missing", "slots": 2}], "action_on_non_existence": "skip"},
        {"action": "delete", "entities": ["missing", "new"], "action_on_non_existence": "skip"},
    ]

    answer = client.patch(POOLS, json={"actions": actions}).json()

    assert answer["create"]["success"] == ["old", "new"]
    assert answer["update"] == {"success": [], "errors": []}
    assert answer["delete"] == {"success": ["new"], "errors": []}
    assert client.get(f"{POOLS}/old").json()["slots"] == 9


@pytest.mark.parametrize(
    ("action", "problem"),
    [
        ({"action": "create", "entities": [{"name": "new", "slots": 1}, {"name": "old", "slots": 1}]}, "exist already"),
        ({"action": "update", "entities": [{"name": "old", "slots": 1}, {"name": "new", "slots": 1}]}, "do not exist"),
        ({"action": "delete", "entities": ["old", "new"]}, "do not exist"),
    ],
)
def test_nothing_is_done_where_one_of_many_is_wrong(client: TestClient, action: dict[str, Any], problem: str) -> None:
    make(client, "old")
    before = client.get(POOLS).json()

    answer = client.patch(POOLS, json={"actions": [action]}).json()[action["action"]]

    assert answer["success"] == []
    assert [problem in error["error"] for error in answer["errors"]] == [True]
    assert client.get(POOLS).json() == before


def test_each_of_many_is_refused_for_itself(client: TestClient) -> None:
    make(client, "old")
    entities = ["old", "default_pool"]

    answer = client.patch(POOLS, json={"actions": [{"action": "delete", "entities": entities}]}).json()["delete"]

    assert answer["success"] == ["old"]
    assert [error["status_code"] for error in answer["errors"]] == [400]


def test_who_may(connect: Connect) -> None:
    assert connect(None).get(POOLS).status_code == 401
    assert connect("viewer").get(POOLS).status_code == 200
    assert connect("user").post(POOLS, json={"name": "x", "slots": 1}).status_code == 403
    assert connect("op").post(POOLS, json={"name": "x", "slots": 1}).status_code == 201
    assert connect("guest").get(POOLS).status_code == 403
