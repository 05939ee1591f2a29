"""Long answers are sent compressed to those who can read that (A8)."""

import gzip

import pytest
from fastapi import FastAPI
from fastapi.responses import Response, StreamingResponse
from fastapi.testclient import TestClient

from tests.component.world import World
from tradewind.api.compressed import SHORTEST, Compressed, is_accepted
from tradewind.model.dag import Dag, Task

DAGS = "/api/v2/dags"
PLAIN = {"Accept-Encoding": "identity"}
ZIPPED = {"Accept-Encoding": "gzip, deflate, br"}


@pytest.fixture
def any_world(world: World) -> World:
    """Nothing here depends on the database: one kind will do."""
    for number in range(20):
        world.publish(Dag(f"etl_{number}", (Task("load"),)))
    return world


def raw(client: TestClient, path: str, headers: dict[str, str]) -> tuple[bytes, dict[str, str]]:
    """What went over the wire, and the headers."""
    with client.stream("GET", path, headers=headers) as answer:
        return b"".join(answer.iter_raw()), dict(answer.headers)


def test_a_long_answer_is_compressed_for_who_asks_for_it(client: TestClient) -> None:
    plain, plain_headers = raw(client, DAGS, PLAIN)
    short, headers = raw(client, DAGS, ZIPPED)

    assert "content-encoding" not in plain_headers
    assert headers["content-encoding"] == "gzip"
    assert int(headers["content-length"]) == len(short) < len(plain) / 5
    assert gzip.decompress(short) == plain
    for each in (plain_headers, headers):
        assert "Accept-Encoding" in each["vary"]


def test_a_tag_is_of_what_is_said_however_it_is_sent(client: TestClient) -> None:
    """The bytes differ, so it must not be a strong one."""
    plain, zipped = client.get(DAGS, headers=PLAIN), client.get(DAGS, headers=ZIPPED)
    again = client.get(DAGS, headers={**ZIPPED, "If-None-Match": plain.headers["etag"]})

    assert plain.headers["etag"] == zipped.headers["etag"] == again.headers["etag"]
    assert plain.headers["etag"].startswith('W/"')
    assert (again.status_code, again.content) == (304, b"")
    assert "content-encoding" not in again.headers


def test_a_short_answer_is_sent_as_it_is(client: TestClient) -> None:
    assert "content-encoding" not in raw(client, f"{DAGS}?limit=1", ZIPPED)[1]


@pytest.mark.parametrize("path", ["/api/v2/connections", "/api/v2/variables", "/api/v2/config", "/auth/token"])
def test_what_may_hold_secrets_is_never_compressed(path: str) -> None:
    """D6: the length of what is compressed together tells secrets."""
    answer = _made(path, Response(b" " * SHORTEST, media_type="application/json"))

    assert "content-encoding" not in raw(answer, path, ZIPPED)[1]


def test_streams_go_on_as_they_are() -> None:
    """What is said in them is sent when it is said."""
    said = [b"x" * SHORTEST, b"y" * SHORTEST]
    for kind in ("text/event-stream", "application/x-ndjson", "application/json"):
        sent, headers = raw(
            _made("/api/v2/logs", StreamingResponse(iter(said), media_type=kind)), "/api/v2/logs", ZIPPED
        )

        assert "content-encoding" not in headers
        assert sent == b"".join(said)


@pytest.mark.parametrize(
    ("said", "is_so"),
    [
        (b"gzip", True),
        (b"br, GZIP;q=0.5", True),
        (b"*", True),
        (b"deflate, gzip ; q=1.0, br", True),
        (b"gzip;q=0", False),
        (b"gzip;q=0.000, br", False),
        (b"identity", False),
        (b"x-notgzip", False),
        (b"", False),
    ],
)
def test_what_a_client_accepts(said: bytes, is_so: bool) -> None:
    assert is_accepted(said) is is_so


def _made(path: str, answer: Response) -> TestClient:
    app = FastAPI()
    app.add_middleware(Compressed)
    app.add_api_route(path, lambda: answer)
    return TestClient(app)
