"""Views of plugins by the web server: who is told of them, which files are served, and what pages may load (A8, A5)."""

import dataclasses
from pathlib import Path

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from tests.component.api.conftest import GUEST, Connect
from tradewind.api.auth.principal import COOKIE
from tradewind.api.security import Guard
from tradewind.api.services import Services
from tradewind.api.ui.static_pages import add_pages
from tradewind.settings import ApiSettings

PLUGIN = """
raise RuntimeError("whoever imports this runs others' code")
from airflow.plugins_manager import AirflowPlugin
class Tools(AirflowPlugin):
    name = "tools"
    external_views = [
        {"name": "Panels", "href": "https://panels.example.org/x", "url_route": "panels"},
        {"name": "Evil", "href": "javascript:alert(1)"},
    ]
"""


@pytest.fixture
def plugins(services: Services) -> Path:
    folder = services.settings.plugins_folder
    (folder / "static" / "mine").mkdir(parents=True)
    (folder / "tools.py").write_text(PLUGIN)
    (folder / "static" / "mine" / "main.js").write_text("run()")
    (folder / "static" / "page.html").write_text("<script>run()</script>")
    return folder


@pytest.mark.usefixtures("plugins")
def test_everybody_who_has_logged_in_is_told_of_views(connect: Connect) -> None:
    answer = connect(GUEST).get("/ui/plugin_views")

    assert answer.json() == {
        "views": [
            {
                "plugin": "tools",
                "name": "Panels",
                "kind": "frame",
                "href": "https://panels.example.org/x",
                "destination": "nav",
                "route": "panels",
                "category": None,
                "is_top_level": False,
                "icon": None,
                "icon_dark_mode": None,
            }
        ]
    }
    assert connect(None).get("/ui/plugin_views").status_code == 401


@pytest.mark.usefixtures("plugins")
def test_what_is_not_shown_is_told_to_who_looks_after_plugins(connect: Connect) -> None:
    (one,) = [
        each
        for each in connect("op").get("/ui/plugin_views/not_shown").json()["not_shown"]
        if each["source"].startswith("$")
    ]

    assert (one["plugin"], one["part"]) == ("tools", "external view 'Evil'")
    assert "javascript" in one["reason"]
    assert connect("user").get("/ui/plugin_views/not_shown").status_code == 403


@pytest.mark.usefixtures("plugins")
def test_files_of_plugins_are_served_to_who_has_logged_in(connect: Connect, client: TestClient) -> None:
    answer = client.get("/ui/plugin_files/mine/main.js")

    assert (answer.status_code, answer.text) == (200, "run()")
    assert answer.headers["content-type"].startswith("text/javascript")
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert connect(None).get("/ui/plugin_files/mine/main.js").status_code == 401


@pytest.mark.usefixtures("plugins")
@pytest.mark.parametrize("path", ["page.html", "..%2Ftools.py", "mine", "mine/nothing.js"])
def test_no_page_and_nothing_else_is_served(client: TestClient, path: str) -> None:
    assert client.get(f"/ui/plugin_files/{path}").status_code == 404


@pytest.fixture
def browser(services: Services, tmp_path: Path) -> TestClient:
    """Of somebody who looks at pages, whether or not those of the application are built."""
    (tmp_path / "pages").mkdir()
    (tmp_path / "pages" / "index.html").write_text("<html><head><title>Tradewind</title></head></html>")
    app = FastAPI()
    app.state.services = services
    app.add_middleware(Guard, longest_body=1)
    add_pages(app, tmp_path / "pages")
    return TestClient(app, cookies={COOKIE: "a token"}, headers={"accept": "text/html"})


@pytest.mark.usefixtures("plugins")
def test_a_page_may_frame_exactly_what_plugins_show(browser: TestClient, client: TestClient) -> None:
    answer = browser.get("/")

    policy = answer.headers["content-security-policy"]
    assert "; frame-src https://panels.example.org; " in policy
    assert "img-src 'self' data:;" in policy
    assert "frame-src 'none'" in client.get("/docs").headers["content-security-policy"]


def test_a_page_wears_what_the_deployment_wants(browser: TestClient, services: Services) -> None:
    theme = '{"tokens": {"colors": {"white": {"value": "#fefefe"}}}, "icon": "https://example.org/i.svg"}'
    dressed(services, ApiSettings(instance_name='Shop "<b>"', theme=theme))

    answer = browser.get("/")
    sheet = browser.get(answer.text.split('stylesheet" href="')[1].split('"')[0])

    assert "<title>Shop &quot;&lt;b&gt;&quot;</title>" in answer.text
    assert '<meta name="instance-name" content="Shop &quot;&lt;b&gt;&quot;">' in answer.text
    assert '<meta name="instance-icon" content="https://example.org/i.svg">' in answer.text
    assert "img-src 'self' data: https://example.org;" in answer.headers["content-security-policy"]
    assert sheet.text == ":root {\n  --white: #fefefe;\n}\n"
    assert sheet.headers["content-type"].startswith("text/css")


def test_a_theme_that_cannot_be_used_leaves_the_pages_usable(
    browser: TestClient, services: Services, caplog: pytest.LogCaptureFixture
) -> None:
    dressed(services, ApiSettings(theme="{"))

    answer = browser.get("/")

    assert answer.status_code == 200
    assert "<title>Tradewind</title></head>" in answer.text
    assert "[api] theme is not used: it is no JSON" in caplog.text


def test_a_page_knows_whether_the_reference_of_the_api_is_hidden(browser: TestClient, services: Services) -> None:
    before = browser.get("/").text
    dressed(services, ApiSettings(enable_swagger_ui=False))

    assert "api-reference" not in before
    assert '<meta name="api-reference" content="hidden">' in browser.get("/").text


def dressed(services: Services, api: ApiSettings) -> None:
    """As a server would be that was started with these settings."""
    services.settings = dataclasses.replace(services.settings, api=api)
    services.__post_init__()
