"""What plugins add to the pages, and what is not shown of it (A8)."""

from pathlib import Path
from typing import Any

import pytest

from tradewind.api.plugin_look import PluginLook
from tradewind.api.plugin_sources import Plugin
from tradewind.api.plugin_views import PluginViews, file_at, views_of
from tradewind.api.written_values import AsWritten

GRAFANA = "https://grafana.example.org"


def shown(tmp_path: Path, here: str = "", **lists: Any) -> PluginViews:
    plugin = Plugin("tools", "$PLUGINS_FOLDER/tools.py", {name: tuple(parts) for name, parts in lists.items()})
    return views_of([plugin], tmp_path, here)


def reason_for(tmp_path: Path, base_url: str = "", **view: Any) -> str:
    """Why an external view is not shown."""
    found = shown(tmp_path, base_url, external_views=[{"name": "It", "href": GRAFANA, **view}])
    assert found.views == ()
    (one,) = found.not_shown
    assert (one.plugin, one.source, one.part) == ("tools", "$PLUGINS_FOLDER/tools.py", "external view 'It'")
    return one.reason


def test_a_view_is_a_link_or_with_a_route_a_frame(tmp_path: Path) -> None:
    link = {"name": "Wiki", "href": "https://wiki.example.org/", "category": "docs", "nav_top_level": True}
    frame = {"name": "Panels", "href": f"{GRAFANA}/d?dag={{DAG_ID}}", "url_route": "panels", "destination": "dag"}

    found = shown(tmp_path, external_views=[link, frame])

    assert found.not_shown == ()
    assert [(each.name, each.kind, each.destination, each.route) for each in found.views] == [
        ("Wiki", "link", "nav", None),
        ("Panels", "frame", "dag", "panels"),
    ]
    assert (found.views[0].category, found.views[0].is_top_level) == ("docs", True)
    assert found.frame_origins == {GRAFANA}, "a link needs no leave to be shown"


@pytest.mark.parametrize(
    ("view", "why"),
    [
        ({"href": "javascript:alert(1)"}, "Its href begins with javascript"),
        ({"href": "data:text/html,x"}, "Its href begins with data"),
        ({"href": "//evil.example.org"}, "Its href begins with //"),
        ({"href": None}, "It has no href."),
        ({"href": 7}, "Its href is no text."),
        ({"href": AsWritten("conf.get('a')")}, "Its href is worked out when the plugin is imported (conf.get('a'))"),
        ({"href": "https://{DAG_ID}.example.org"}, "where its href names the server"),
        ({"href": f"{GRAFANA}/{{DAG_ID}}"}, "asks for {DAG_ID}, which is not known at the destination 'nav'"),
        ({"href": f"{GRAFANA}/{{RUN_ID}}", "destination": "dag"}, "asks for {RUN_ID}"),
        ({"destination": "somewhere"}, "There is no destination 'somewhere'"),
        ({"url_route": "a/b"}, "Its url_route has other characters"),
        ({"url_route": "<b>"}, "Its url_route has other characters"),
        ({"href": "/docs", "url_route": "docs"}, "Pages of this server are not shown in frames"),
    ],
)
def test_what_cannot_be_shown_says_why(tmp_path: Path, view: dict[str, Any], why: str) -> None:
    assert why in reason_for(tmp_path, **view)


def test_a_page_of_this_server_is_known_by_its_address_too(tmp_path: Path) -> None:
    here = "https://flows.example.org"

    assert "not shown in frames" in reason_for(tmp_path, here, href=f"{here}/docs", url_route="docs")
    found = shown(tmp_path, here, external_views=[{"name": "API", "href": f"{here}/docs?a=b/c"}])
    assert found.views[0].href == "/docs?a=b/c"


def test_a_whole_that_is_worked_out_is_told(tmp_path: Path) -> None:
    (one,) = shown(tmp_path, external_views=[AsWritten("make()")]).not_shown

    assert (one.part, "(make())" in one.reason) == ("external view (make())", True)


def test_pages_of_an_app_that_is_not_run_are_not_linked_to(tmp_path: Path) -> None:
    found = shown(
        tmp_path,
        fastapi_apps=[{"app": AsWritten("app"), "url_prefix": "/mine", "name": "Mine"}],
        external_views=[{"name": "Mine", "href": "mine/page"}, {"name": "Not mine", "href": "mines"}],
    )

    assert [each.name for each in found.views] == ["Not mine"]
    assert [each.part for each in found.not_shown] == ["external view 'Mine'", "fastapi_apps 'Mine'"]
    assert all("runs no code of plugins" in each.reason for each in found.not_shown)


@pytest.mark.parametrize(
    "attribute",
    ["fastapi_apps", "fastapi_root_middlewares", "flask_blueprints", "appbuilder_views", "appbuilder_menu_items"],
)
def test_what_is_never_shown_is_told(tmp_path: Path, attribute: str) -> None:
    lists: dict[str, Any] = {attribute: [{"name": "Old"}]}

    (one,) = shown(tmp_path, **lists).not_shown

    assert one.part == f"{attribute} 'Old'"
    assert one.reason.endswith(".")


def test_a_react_app_is_a_file_of_the_plugins_folder(tmp_path: Path) -> None:
    (tmp_path / "static" / "mine").mkdir(parents=True)
    (tmp_path / "static" / "mine" / "main.js").write_text("")
    app = {"name": "Mine", "url_route": "mine", "bundle_url": "/mine/main.js"}

    found = shown(tmp_path, react_apps=[app])

    assert [(each.kind, each.href) for each in found.views] == [("react", "/ui/plugin_files/mine/main.js")]
    assert found.frame_origins == frozenset()


@pytest.mark.parametrize(
    ("app", "why"),
    [
        ({"bundle_url": "https://cdn.example.org/main.js"}, "on another server"),
        ({"bundle_url": "javascript:alert(1)"}, "begins with javascript"),
        ({"bundle_url": "/mine/other.js"}, "There is no file $PLUGINS_FOLDER/static/mine/other.js"),
        ({"bundle_url": "../secret.py"}, "There is no file"),
        ({"bundle_url": "main.js", "url_route": None}, "It has no url_route"),
    ],
)
def test_other_react_apps_say_why_they_are_not_loaded(tmp_path: Path, app: dict[str, Any], why: str) -> None:
    (tmp_path / "static").mkdir()
    (tmp_path / "static" / "main.js").write_text("")
    (tmp_path / "secret.py").write_text("")

    found = shown(tmp_path, react_apps=[{"name": "It", "url_route": "it", **app}])

    assert found.views == ()
    assert why in found.not_shown[0].reason


def test_two_of_one_address_are_told(tmp_path: Path) -> None:
    views = [
        {"name": "One", "href": GRAFANA, "url_route": "it"},
        {"name": "Two", "href": GRAFANA, "url_route": "it", "destination": "dashboard"},
        {"name": "Three", "href": GRAFANA, "url_route": "it", "destination": "dag"},
    ]

    found = shown(tmp_path, external_views=views)

    assert [each.name for each in found.views] == ["One", "Three"]
    assert "'One' of the plugin 'tools' has the same url_route" in found.not_shown[0].reason


def test_a_view_is_shown_without_an_icon_that_cannot_be_loaded(tmp_path: Path) -> None:
    icons = {"icon": "https://icons.example.org/a.svg", "icon_dark_mode": "javascript:alert(1)"}

    found = shown(tmp_path, external_views=[{"name": "It", "href": GRAFANA, **icons}])

    assert (found.views[0].icon, found.views[0].icon_dark_mode) == (icons["icon"], None)
    assert found.icon_origins == {"https://icons.example.org"}
    assert [each.part for each in found.not_shown] == ["icon_dark_mode of 'It'"]


def test_no_file_beside_the_folder_is_found(tmp_path: Path) -> None:
    (tmp_path / "static").mkdir()
    (tmp_path / "secret").write_text("")
    (tmp_path / "static" / "link").symlink_to(tmp_path / "secret")
    (tmp_path / "static" / "a.js").write_text("")

    paths = ("a.js", "../secret", "link", "", ".", "/etc/passwd", "nothing.js")

    assert [file_at(tmp_path / "static", path) is not None for path in paths] == [True, *[False] * 6]


def test_a_plugin_that_changes_is_seen(tmp_path: Path) -> None:
    file = tmp_path / "it.py"
    text = "class It(AirflowPlugin):\n    name = 'it'\n    external_views = [{'name': '%s', 'href': 'https://a.org'}]\n"
    look = PluginLook(tmp_path, "")
    assert look().views == ()

    file.write_text(text % "One")
    assert [each.name for each in look().views] == ["One"]
    assert look() is look()

    file.write_text(text % "Another")
    assert [each.name for each in look().views] == ["Another"]
