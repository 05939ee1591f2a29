"""What stands before every route: limits and headers (D6)."""

import base64
import hashlib
from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from tests.component.api.conftest import Connect
from tests.component.world import World
from tradewind.api.app import make_app
from tradewind.api.services import Services

POOLS = "/api/v2/pools"
JSON = {"Content-Type": "application/json"}
MEGABYTE = 1024 * 1024


@pytest.fixture
def any_world(world: World) -> World:
    """Nothing here depends on the database: one kind will do."""
    return world


@pytest.mark.parametrize(
    "path", [POOLS, "/api/v2/none", "/none", "/auth/login", "/openapi.json", "/docs", "/api/v2/backfills"]
)
def test_every_answer_tells_browsers_what_not_to_do(connect: Connect, path: str) -> None:
    for role in (None, "admin"):
        headers = connect(role).get(path).headers

        assert headers["x-content-type-options"] == "nosniff"
        assert headers["x-frame-options"] == "DENY"
        assert headers["referrer-policy"] == "same-origin"
        assert headers["cache-control"] == ("no-cache, private" if "etag" in headers else "no-store")
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert "strict-transport-security" not in headers


def test_only_what_is_a_page_may_load_anything(client: TestClient) -> None:
    assert client.get(POOLS).headers["content-security-policy"].startswith("default-src 'none'")
    page = client.get("/auth/login")
    style = page.text.partition("<style>")[2].partition("</style>")[0]
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    (policy,) = page.headers.get_list("content-security-policy")
    assert policy.startswith(f"default-src 'none'; style-src 'sha256-{digest}'; form-action 'self';")
    assert "<script" not in page.text
    assert client.get("/docs").headers["content-security-policy"].startswith("default-src 'self'; script-src 'self';")


def test_an_answer_that_was_not_foreseen_has_the_headers_too(services: Services) -> None:
    app = make_app(services)

    @app.get("/broken")
    def broken() -> None:
        raise RuntimeError("a secret of the server")

    answer = TestClient(app, raise_server_exceptions=False).get("/broken")

    assert (answer.status_code, answer.json()) == (500, {"detail": "Internal Server Error"})
    assert answer.headers["x-content-type-options"] == "nosniff"
    with pytest.raises(RuntimeError):
        TestClient(app).get("/broken")


def test_what_is_too_long_is_refused_before_it_is_read(client: TestClient) -> None:
    answer = client.post(POOLS, content=b"x" * (10 * MEGABYTE + 1), headers=JSON)

    assert answer.status_code == 413
    assert "longer than 10485760 bytes" in answer.json()["detail"]


def test_what_is_too_long_is_refused_also_if_nobody_says_how_long(client: TestClient) -> None:
    def parts() -> Iterator[bytes]:
        for _ in range(11):
            yield b"x" * MEGABYTE

    assert client.post(POOLS, content=parts(), headers=JSON).status_code == 413


def test_what_is_sent_in_pieces_arrives_whole(client: TestClient) -> None:
    pieces = iter([b'{"name": "na', b'rrow", ', b'"slots": 3}'])

    assert client.post(POOLS, content=pieces, headers=JSON).status_code == 201


@pytest.mark.parametrize(
    "content",
    [
        b"[" * 101,
        b'{"a":' * 101,
        b"[" * 100_000,
        b'["[[[[", ' + b"[" * 101,
        b'{"x": "\\"", "y": ' + b"[" * 101,
        b"[]," * 50_000 + b"[" * 101,
    ],
)
def test_what_is_nested_too_deep_is_refused_before_it_is_read(client: TestClient, content: bytes) -> None:
    answer = client.post(POOLS, content=content, headers=JSON)

    assert (answer.status_code, answer.json()) == (400, {"detail": "JSON is nested more than 100 deep"})


@pytest.mark.parametrize(
    "content",
    [
        b"[" * 100,
        b'"' + b"[" * 200 + b'"',
        b'["' + b'\\"[' * 200 + b'"]',
        b"[]" * 200,
        b'"' + b"[" * 200,
        b"]" * 200 + b"[" * 100,
        b"{",
        b"\xff\xfe",
        b"",
        b'{"name": "x", "slots": ' + b"9" * 5_000 + b"}",
        b'{"name": "x", "slots": NaN}',
    ],
)
def test_what_is_no_body_of_ours_is_refused_in_a_sentence(client: TestClient, content: bytes) -> None:
    answer = client.post(POOLS, content=content, headers=JSON)

    assert answer.status_code in (400, 422)
    assert "nested" not in answer.text


@pytest.mark.parametrize("length", ["-1", "x", "1e9", "999999999999999999999"])
def test_a_length_that_is_none_is_refused(client: TestClient, length: str) -> None:
    assert client.post(POOLS, content=iter([b"{}"]), headers={**JSON, "Content-Length": length}).status_code == 413
