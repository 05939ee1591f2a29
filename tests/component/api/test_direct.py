"""The short way to a route leads to the same answers as the long one (A8)."""

from collections.abc import Callable
from typing import Any

import pytest
from fastapi.routing import APIRoute
from fastapi.testclient import TestClient

from tests.component.api.conftest import GUEST, Connect
from tests.component.world import World
from tradewind.api.app import ALL
from tradewind.api.direct import Routes
from tradewind.api.direct_call import direct_call
from tradewind.model.dag import Dag, Task

DAGS = "/api/v2/dags"
RUNS = f"{DAGS}/etl/dagRuns"
JSON = {"content-type": "application/json"}


@pytest.fixture
def any_world(world: World) -> World:
    """Nothing here depends on the database: one kind will do."""
    for dag_id in ("etl", "granted"):
        world.publish(Dag(dag_id, (Task("load"),)))
    return world


@pytest.fixture
def long_way(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """From then on, all requests go through FastAPI."""
    return lambda: monkeypatch.setattr(Routes, "find", lambda _self, _scope: None)


ASKED: dict[str, tuple[str, str, dict[str, Any]]] = {
    "a list": ("GET", DAGS, {}),
    "given once and several times": ("GET", f"{DAGS}?tags=a&tags=b&limit=1&limit=5&exclude_stale=false", {}),
    "nothing given": ("GET", f"{DAGS}?tags=&paused=", {}),
    "a name that nobody knows": ("GET", f"{DAGS}?of_nothing=1&limit=1", {}),
    "no number": ("GET", f"{DAGS}?limit=many", {}),
    "two that are wrong": ("GET", f"{DAGS}?limit=-1&offset=x&paused=perhaps", {}),
    "a bad date": ("GET", f"{RUNS}?run_after_gte=yesterday", {}),
    "escaped": ("GET", f"{DAGS}/e%74l", {}),
    "a slash in a name": ("GET", f"{DAGS}/e%2Ftl", {}),
    "no such DAG": ("GET", f"{DAGS}/none", {}),
    "a slash too many": ("GET", f"{DAGS}/", {}),
    "no such path": ("GET", "/api/v2/nothing", {}),
    "no such method": ("PUT", DAGS, {}),
    "only the head": ("HEAD", DAGS, {}),
    "not for them": ("GET", "/api/v2/connections", {}),
    "no body": ("POST", RUNS, {}),
    "no JSON": ("POST", RUNS, {"content": b"{", "headers": JSON}),
    "no content type": ("POST", RUNS, {"content": b"{}"}),
    "a text": ("POST", RUNS, {"content": b"{}", "headers": {"content-type": "text/plain"}}),
    "another field": ("POST", RUNS, {"json": {"logical_date": None, "colour": "red"}}),
    "a field too few": ("POST", RUNS, {"json": {}}),
    "a list for an object": ("POST", RUNS, {"json": []}),
    "a slash in a key": ("GET", "/api/v2/variables/a/b", {}),
    "a number for a word": ("GET", f"{RUNS}/r/taskInstances/load/7", {}),
    "a word for a number": ("GET", f"{RUNS}/r/taskInstances/load/links", {}),
    "a literal": ("POST", f"{DAGS}/etl/dagRuns/list", {"json": {}}),
}


@pytest.mark.parametrize("who", ["admin", GUEST, None])
def test_the_short_way_answers_what_the_long_one_answers(
    connect: Connect, long_way: Callable[[], None], who: str | None
) -> None:
    client = connect(who)

    short = {name: _asked(client, *asked) for name, asked in ASKED.items()}
    long_way()
    long = {name: _asked(client, *asked) for name, asked in ASKED.items()}

    assert short == long


def test_a_body_is_read_once_more_where_it_is_refused(client: TestClient) -> None:
    refused = client.post(RUNS, json={"logical_date": "no date"})

    assert (refused.status_code, refused.json()["detail"][0]["loc"]) == (422, ["body", "logical_date"])


def test_an_error_that_nobody_foresaw_is_told_as_one(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tradewind.api.public.dags.ShownDags", None)

    with pytest.raises(TypeError):
        client.get(f"{DAGS}/etl")


def test_all_routes_but_few_are_called_directly() -> None:
    """Those that look at headers, and those that read the request in their own way."""
    routes: list[APIRoute] = [route for each in ALL for route in each.routes]

    long = [route.path for route in routes if direct_call(route) is None]

    assert len(routes) > 130
    assert len(long) <= 12, long


def _asked(client: TestClient, method: str, path: str, said: dict[str, Any]) -> tuple[int, bytes, dict[str, str]]:
    response = client.request(method, path, follow_redirects=False, **said)
    return response.status_code, response.content, dict(response.headers)
