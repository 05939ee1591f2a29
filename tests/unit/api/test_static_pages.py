"""The web application as files (A8)."""

import gzip
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tradewind.api.auth.principal import COOKIE
from tradewind.api.ui.static_pages import add_pages

HTML = {"accept": "text/html,*/*"}


@pytest.fixture
def client(tmp_path: Path) -> TestClient:
    (tmp_path / "pages" / "static").mkdir(parents=True)
    (tmp_path / "pages" / "index.html").write_text("<title>Tradewind</title>")
    (tmp_path / "pages" / "static" / "index-1a2b.js").write_text("run()")
    (tmp_path / "pages" / "static" / "index-1a2b.js.gz").write_bytes(gzip.compress(b"run()"))
    (tmp_path / "pages" / "static" / "small-3c4d.js").write_text("walk()")
    (tmp_path / "secret").write_text("secret")
    app = FastAPI()
    add_pages(app, tmp_path / "pages")
    return TestClient(app, cookies={COOKIE: "a token"})


@pytest.mark.parametrize("path", ["/", "/dags", "/assets/7", "/dags/a.b/runs/manual__2026-01-01T00:00:00+00:00"])
def test_every_address_is_the_one_page(client: TestClient, path: str) -> None:
    answer = client.get(path, headers=HTML)

    assert (answer.status_code, answer.text) == (200, "<title>Tradewind</title>")
    assert answer.headers["cache-control"] == "no-cache"


@pytest.mark.parametrize("path", ["/api/v2/nothing", "/auth/nothing", "/ui/nothing", "/execution/nothing"])
def test_what_is_none_of_its_addresses_is_not_found(client: TestClient, path: str) -> None:
    assert client.get(path, headers=HTML).status_code == 404


def test_who_wants_no_page_gets_none(client: TestClient) -> None:
    assert client.get("/nothing", headers={"accept": "application/json"}).status_code == 404


@pytest.mark.parametrize("accept", ["*/*", "application/json", ""])
def test_the_first_page_is_there_for_whoever_looks_whether_somebody_is_in(client: TestClient, accept: str) -> None:
    assert client.get("/", headers={"accept": accept}).status_code == 200


def test_who_is_not_logged_in_logs_in_and_comes_back(client: TestClient) -> None:
    client.cookies.clear()

    answer = client.get("/dags?q=a%20b", headers=HTML, follow_redirects=False)

    assert answer.status_code == 303
    assert answer.headers["location"] == "/auth/login?next=/dags%3Fq%3Da%2520b"


def test_files_are_kept_by_browsers(client: TestClient) -> None:
    answer = client.get("/static/index-1a2b.js")

    assert answer.headers["content-type"].startswith("text/javascript")
    assert "immutable" in answer.headers["cache-control"]


@pytest.mark.parametrize(
    ("name", "accepted", "encoding"),
    [("index-1a2b.js", "gzip, br", "gzip"), ("index-1a2b.js", "identity", None), ("small-3c4d.js", "gzip", None)],
)
def test_files_come_compressed_to_who_can_read_that(
    client: TestClient, name: str, accepted: str, encoding: str | None
) -> None:
    answer = client.get(f"/static/{name}", headers={"accept-encoding": accepted})

    assert answer.headers.get("content-encoding") == encoding
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.text == ("run()" if name.startswith("index") else "walk()")


@pytest.mark.parametrize("path", ["/static/other.js", "/static/..%2F..%2Fsecret", "/static/%2e%2e%2f%2e%2e%2fsecret"])
def test_nothing_else_is_served(client: TestClient, path: str) -> None:
    answer = client.get(path)

    assert answer.status_code == 404
    assert "secret" not in answer.text


def test_pages_that_are_not_built_say_how(tmp_path: Path) -> None:
    app = FastAPI()
    add_pages(app, tmp_path)

    answer = TestClient(app).get("/", headers=HTML)

    assert answer.status_code == 503
    assert "make ui" in answer.text
