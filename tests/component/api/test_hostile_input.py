"""Input that is meant to do harm, or could: each is answered with 4xx and a sentence, on each kind of database (D6)."""

import itertools
from collections.abc import Iterator
from typing import Any, Final

import pytest
from fastapi.testclient import TestClient

from tests.component.world import World
from tradewind.model.asset import AssetRef
from tradewind.model.dag import Task

JSON: Final = {"Content-Type": "application/json"}
MEGABYTE: Final = 1024 * 1024
IDS: Final = (
    *("%2e%2e", "%2e%2e%2f%2e%2e%2fetc%2fpasswd", "..%5c..", "%00", "a%00b", "%ff%fe", "%ed%a0%80", "%F0%9F%98%80"),
    *(
        "'",
        "%27%3B%20DROP%20TABLE%20dag%3B--",
        "%22",
        "%60",
        "%25",
        "_",
        "%5C",
        "%0d%0aSet-Cookie:%20x=1",
        "x" * 10_000,
    ),
)
"""Path tricks, bytes that are no text, halves of characters, what SQL would misunderstand, and too much."""
PATHS: Final = (
    *("/dags/{}", "/dags/{}/details", "/dags/{}/dagRuns", "/dags/sales/dagRuns/{}", "/dagSources/{}", "/dags/{}/tasks"),
    *("/dags/sales/dagRuns/r1/taskInstances/{}", "/dags/sales/dagRuns/r1/taskInstances/load/logs/{}"),
    *("/dags/sales/dagRuns/r1/taskInstances/load/xcomEntries/{}", "/dags/sales/dagVersions/{}"),
    *("/pools/{}", "/variables/{}", "/connections/{}", "/assets/{}", "/assets/1/state-store/{}", "/eventLogs/{}"),
    *("/importErrors/{}", "/parseDagFile/{}", "/config/section/{}/option/x", "/config/section/core/option/{}"),
)
LISTS: Final = ("/dags", "/dags/~/dagRuns", "/dags/~/dagRuns/~/taskInstances", "/eventLogs", "/assets", "/variables")
NUMBERS: Final = ("99999999999999999999", "9223372036854775808", "-1", "1e3", "", "nan", "0x10", "1;2", "\u0661", "--1")
DATES: Final = (
    "yesterday",
    "2026-13-01",
    "0000-01-01T00:00:00Z",
    "99999-01-01",
    "2026-01-01T00:00:00+99:00",
    "",
    "1e30",
)


@pytest.fixture(autouse=True)
def sales(any_world: World) -> World:
    any_world.dag(Task("load", outlets=(AssetRef("orders", "s3://orders"),)), dag_id="sales")
    any_world.trigger()
    return any_world


def said(answer: Any) -> str:
    """What is wrong, in words."""
    detail = answer.json()["detail"]
    return detail if isinstance(detail, str) else " ".join(each["msg"] for each in detail)


def test_odd_ids_name_nothing(client: TestClient) -> None:
    wrong = []
    for path, odd in itertools.product(PATHS, IDS):
        answer = client.get(f"/api/v2{path.format(odd)}")
        is_empty = answer.status_code == 200 and answer.json().get("total_entries") == 0
        is_refused = 400 <= answer.status_code < 500 and "root:" not in answer.text
        if not (is_empty or is_refused) or "set-cookie" in answer.headers:
            wrong.append((path, odd[:40], answer.status_code, answer.text[:300]))

    assert wrong == []


def test_what_has_an_odd_id_cannot_be_deleted(client: TestClient) -> None:
    paths = ("/dags/{}", "/dags/sales/dagRuns/{}", "/pools/{}", "/variables/{}", "/connections/{}")
    for path, odd in itertools.product(paths, IDS):
        answer = client.delete(f"/api/v2{path.format(odd)}")
        assert 400 <= answer.status_code < 500, (path, odd[:40], answer.text[:300])


def test_odd_numbers_are_refused_or_taken_for_the_most(client: TestClient) -> None:
    for path, name, number in itertools.product(LISTS, ("limit", "offset"), NUMBERS):
        answer = client.get(f"/api/v2{path}", params={name: number})
        assert answer.status_code in (200, 400, 422), (path, number, answer.text[:300])
        assert answer.status_code == 200 or said(answer)


def test_odd_dates_are_refused(client: TestClient) -> None:
    for name, date in itertools.product(("run_after_gte", "logical_date_lt", "updated_at_gte"), DATES):
        answer = client.get("/api/v2/dags/~/dagRuns", params={name: date})
        assert answer.status_code in (400, 422), (date, answer.text[:300])
        assert said(answer)


BODIES: Final[tuple[tuple[str, str, Any], ...]] = (
    ("POST", "/dags/sales/dagRuns", {"logical_date": "yesterday"}),
    ("POST", "/dags/sales/dagRuns", {"logical_date": 1e300}),
    ("POST", "/dags/sales/dagRuns", {"logical_date": None, "conf": [1]}),
    ("POST", "/dags/sales/dagRuns", {"logical_date": None, "conf": "x"}),
    ("POST", "/dags/sales/dagRuns", {"logical_date": None, "dag_run_id": "x" * 10_000}),
    ("POST", "/dags/sales/dagRuns", {"logical_date": None, "dag_run_id": 1}),
    ("POST", "/dags/sales/dagRuns", {"logical_date": None, "nonsense": 1}),
    ("POST", "/dags/~/dagRuns/list", {"page_limit": -1}),
    ("POST", "/dags/~/dagRuns/list", {"states": ["nonsense"]}),
    ("POST", "/dags/sales/clearTaskInstances", {"task_ids": [["load"]]}),
    ("PATCH", "/dags/sales/dagRuns/r1", {"state": "nonsense"}),
    ("PATCH", "/dags/sales", {"is_paused": "perhaps"}),
    ("PATCH", "/pools", {"actions": [{"action": "explode", "entities": []}]}),
    ("POST", "/pools", {"name": "x" * 10_000, "slots": 1}),
    ("POST", "/pools", {"name": "x", "slots": 10**30}),
    ("POST", "/pools", {"name": ["x"], "slots": 1}),
    ("POST", "/variables", {"key": "x" * 10_000, "value": "1"}),
    ("POST", "/variables", {"key": {"a": 1}, "value": "1"}),
    ("POST", "/connections", {"connection_id": "../x", "conn_type": "http"}),
    ("POST", "/connections", {"connection_id": "x", "conn_type": "http", "port": 10**30}),
    ("POST", "/assets/events", {"asset_id": 10**30}),
    ("POST", "/assets/events", {"asset_id": "' OR 1=1 --"}),
)


def test_wrong_bodies_are_refused_in_a_sentence(client: TestClient) -> None:
    for method, path, body in BODIES:
        answer = client.request(method, f"/api/v2{path}", json=body)

        assert 400 <= answer.status_code < 500, (path, answer.text[:300])
        assert said(answer)
        assert len(answer.content) < 10_000, "what was sent is not sent back at length"


def test_halves_of_characters_and_zero_bytes_are_refused_or_kept(client: TestClient) -> None:
    texts = ("\\ud800", "\\udfff\\ud800", "\\u0000", "\\u0000x")
    for name, text in itertools.product(("key", "value", "description"), texts):
        fields = {"key": '"k"', "value": '"v"', "description": '"d"', name: f'"{text}"'}
        body = "{" + ", ".join(f'"{key}": {value}' for key, value in fields.items()) + "}"

        answer = client.post("/api/v2/variables", content=body.encode(), headers=JSON)

        assert answer.status_code in (201, 400, 409, 422), answer.text
        assert answer.status_code == 201 or said(answer)
        assert client.get("/api/v2/variables").status_code == 200


CONTENTS: Final[tuple[tuple[str, bytes], ...]] = (
    ("", b'{"name": "x", "slots": 1}'),
    ("text/plain", b'{"name": "x", "slots": 1}'),
    ("application/xml", b"<name>x</name>"),
    ("application/x-www-form-urlencoded", b"name=x&slots=1"),
    ("multipart/form-data; boundary=x", b"--x\r\n"),
    ("application/json", b'{"name": "\xff\xfe", "slots": 1}'),
    ("application/json", b'{"name": "x", "name": 1, "slots": 1}'),
    ("application/json", b"null"),
    ("application/json", b"[]"),
    ("application/json", b'"x"'),
)


def test_what_is_no_json_object_is_refused(client: TestClient) -> None:
    for kind, content in CONTENTS:
        answer = client.post("/api/v2/pools", content=content, headers={"Content-Type": kind} if kind else {})

        assert 400 <= answer.status_code < 500, (kind, content, answer.text)
        assert said(answer)


def test_a_hundred_megabytes_are_not_read(client: TestClient) -> None:
    """Neither where the length is said, nor where it is not, nor where what is said is not so."""
    sent = 0

    def pieces() -> Iterator[bytes]:
        nonlocal sent
        for _ in range(100):
            sent += 1
            yield b"x" * MEGABYTE

    said_how_long = client.post("/api/v2/variables", content=pieces(), headers={"Content-Length": str(100 * MEGABYTE)})
    not_said = client.post("/api/v2/variables", content=pieces())

    assert [said_how_long.status_code, not_said.status_code] == [413, 413]
    assert "longer than" in said(not_said)


def test_a_parameter_that_is_given_twice_counts_once(client: TestClient) -> None:
    answer = client.get("/api/v2/dags?limit=1&limit=nonsense&offset=0&offset=0")

    assert answer.status_code in (200, 422)
    assert client.get("/api/v2/dags?order_by=dag_id&order_by=-dag_id").status_code == 200
    assert client.get("/api/v2/dags?order_by=nonsense").status_code == 400


@pytest.mark.parametrize("path", ["/api/v2/eventLogs/{}", "/api/v2/assets/{}", "/api/v2/backfills/{}"])
def test_a_number_that_no_database_has_is_named_in_words_of_ours(client: TestClient, path: str) -> None:
    """No word of a driver, such as which type of its own the number does not fit into."""
    answer = client.get(path.format("9" * 30))

    assert 400 <= answer.status_code < 500
    assert "SQLite" not in said(answer)
    assert "Python" not in said(answer)
