"""What a deployment adds to the pages: views of plugins, its name, its colours (A8, D4)."""

import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, Route, expect

from tests.acceptance.deployment import until
from tests.acceptance.standalone import free_port, standing
from tests.browser import axe
from tests.browser.conftest import PASSWORD, Deployment
from tests.browser.plugin_files import serve_pages, write_plugins
from tests.web_server import WebServer, web_server

_NAME = "Shop <b>flows</b>"
_THEME = """{"tokens": {"colors": {"brand": {"700": {"value": "#0a7050"}, "300": {"value": "#7fe0bf"}}}},
    "globalCss": {"h1": {"letter-spacing": "2px"}}, "icon": "/ui/plugin_files/shop/icon.svg"}"""
_APP = """globalThis.AirflowPlugin = function Stock({dagId}) {
    const [count, setCount] = globalThis.React.useState(0);
    return globalThis.React.createElement("button", {onClick: () => setCount(count + 1),
        style: {background: "var(--card)"}},
        `Counted ${count} of ${dagId ?? "all"}`);
};"""
_STUMBLES = "export default function Stumbles() { throw new Error('It has stumbled.'); }"
_MORE = """
from airflow.plugins_manager import AirflowPlugin
class More(AirflowPlugin):
    name = "more"
    react_apps = [
        {"name": "Counter", "bundle_url": "/shop/app.umd.cjs", "url_route": "counter", "nav_top_level": True},
        {"name": "Counter of a DAG", "bundle_url": "/shop/app.umd.cjs", "url_route": "counter", "destination": "dag"},
        {"name": "Stumbles", "bundle_url": "/shop/stumbles.js", "url_route": "stumbles"},
        {"name": "Counter at home", "bundle_url": "/shop/app.umd.cjs", "destination": "dashboard"},
        {"name": "From elsewhere", "bundle_url": "https://cdn.example.org/app.js", "url_route": "cdn"},
    ]
    external_views = [
        {"name": "On every page", "href": "/docs", "destination": "base"},
        {"name": "My profile", "href": "https://people.example.org", "category": "user"},
        {"name": "Tickets", "href": "https://tickets.example.org/?dag={DAG_ID}", "destination": "dag"},
        {"name": "Refuses", "href": "%(refusing)s/", "url_route": "refuses", "category": "Shop"},
    ]
    fastapi_apps = [{"app": app, "url_prefix": "/mine", "name": "Mine"}]
"""


@pytest.fixture(scope="module")
def elsewhere() -> Iterator[WebServer]:
    """Another server, whose pages are framed."""
    with web_server() as web:
        serve_pages(web)
        yield web


@pytest.fixture(scope="module")
def deployment(
    tmp_path_factory: pytest.TempPathFactory, built_pages: None, elsewhere: WebServer
) -> Iterator[Deployment]:
    """One with plugins, a name and a theme."""
    folder = tmp_path_factory.mktemp("plugins")
    variables = {
        "TRADEWIND_ADMIN_PASSWORD": PASSWORD,
        "TRADEWIND__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False",
        "AIRFLOW__API__INSTANCE_NAME": _NAME,
        "AIRFLOW__API__THEME": _THEME,
        "BROWSER_GATE": str(folder / "gate"),
    }
    dags = folder / "dags"
    dags.mkdir()
    shutil.copy(Path(__file__).with_name("dags") / "tea.py", dags)
    plugins = folder / "home" / "plugins"
    with web_server() as refusing, standing(folder / "home", free_port(), dags_folder=dags, variables=variables) as one:
        refusing.answer_headers["X-Frame-Options"] = "DENY"
        write_plugins(plugins, serve_pages(elsewhere), has_evil=False)
        (plugins / "more.py").write_text(_MORE.replace("%(refusing)s", refusing.url))
        (plugins / "static" / "shop" / "app.umd.cjs").write_text(_APP)
        (plugins / "static" / "shop" / "stumbles.js").write_text(_STUMBLES)
        made = Deployment(one, folder / "gate", dags)
        yield made


def _is_clean(page: Page) -> None:
    """In the light and in the dark."""
    found = axe.violations(page)
    page.emulate_media(color_scheme="dark")
    found += axe.violations(page, only_colours=True)
    page.emulate_media(color_scheme="light")
    assert found == []


def test_a_page_of_another_server_is_shown_in_a_frame(page: Page, elsewhere: WebServer) -> None:
    page.get_by_role("navigation").get_by_role("link", name="Stock levels").click()

    frame = page.frame_locator("iframe")
    expect(frame.get_by_role("heading", name="Stock levels")).to_be_visible()
    expect(frame.locator("#where")).to_have_text("/stock")
    expect(page).to_have_url(re.compile("/plugin/stock$"))
    expect(page).to_have_title(f"Stock levels · {_NAME}")
    expect(page.get_by_role("navigation").get_by_role("link", name="Stock levels")).to_have_attribute(
        "aria-current", "page"
    )
    headers = next(asked.headers for asked in elsewhere.asked if asked.path == "/stock")
    assert "Referer" not in headers
    assert "Cookie" not in headers
    _is_clean(page)


def test_a_frame_can_neither_look_into_the_page_nor_lead_it_elsewhere(hushed: Page) -> None:
    """Scripts of the other server run there, and only there (A8)."""
    hushed.goto("/plugin/stock")
    expect(hushed.frame_locator("iframe").locator("#where")).to_have_text("/stock")
    (inner,) = [frame for frame in hushed.frames if frame != hushed.main_frame]

    tries = """() => { const seen = [];
        try { seen.push(window.top.document.title) } catch (error) { seen.push(error.name) }
        try { window.top.location.href = "/nowhere" } catch (error) { seen.push(error.name) }
        return seen }"""

    assert inner.evaluate(tries) == ["SecurityError", "SecurityError"]
    assert hushed.url.endswith("/plugin/stock")


def test_the_policy_of_the_page_names_the_servers_of_frames_and_no_others(page: Page, elsewhere: WebServer) -> None:
    answer = page.goto("/")

    assert answer is not None
    policy = dict(part.strip().split(" ", 1) for part in answer.headers["content-security-policy"].split(";"))
    assert len(policy["frame-src"].split()) == 2
    assert f"http://localhost:{elsewhere.port}" in policy["frame-src"].split()
    assert policy["img-src"] == "'self' data:"
    assert policy["script-src"] == "'self'"


@pytest.mark.parametrize(
    ("address", "tab", "where"),
    [
        ("/dags/brew", "Lineage", "/lineage/brew"),
        ("/dags/brew/runs/a%2Bb:c", "Costs", "/costs/brew/a+b:c"),
        ("/dags/brew/tasks/{task}", "Quality", "/quality/brew/{task}"),
        ("/dags/brew/runs/a%2Bb:c/tasks/{task}", "Traces", "/traces/brew/a+b:c/{task}/-1"),
    ],
)
def test_tabs_know_what_is_looked_at(address: str, tab: str, where: str, page: Page, deployment: Deployment) -> None:
    """Each name stays one word of the address, whatever is in it (A8)."""
    task = _task_of_a_run(deployment)
    page.goto(address.format(task=task))

    page.get_by_role("tab", name=tab, exact=True).click()

    shown = page.frame_locator("iframe").locator("#where")
    expect(shown).to_have_text(where.format(task=task))
    expect(page.get_by_role("tab", name=tab, exact=True)).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("tab", name=tab, exact=True)).to_be_in_viewport(ratio=1)
    _is_clean(page)
    page.reload()
    expect(shown).to_have_text(where.format(task=task))
    page.go_back()
    expect(page.locator("iframe")).to_have_count(0)


def test_addresses_of_airflows_tabs_lead_to_the_same(page: Page, deployment: Deployment) -> None:
    task = _task_of_a_run(deployment)
    for address, where in (
        ("/dags/brew/plugin/lineage", "/lineage/brew"),
        ("/dags/brew/runs/a%2Bb:c/plugin/costs", "/costs/brew/a+b:c"),
        (f"/dags/brew/runs/a%2Bb:c/tasks/{task}/plugin/traces", f"/traces/brew/a+b:c/{task}/-1"),
        (f"/dags/brew/tasks/{task}/plugin/quality", f"/quality/brew/{task}"),
    ):
        page.goto(address)
        expect(page.frame_locator("iframe").locator("#where")).to_have_text(where)


def test_links_open_other_servers_beside_the_page(page: Page) -> None:
    navigation = page.get_by_role("navigation")
    handbook = navigation.get_by_role("link", name="Handbook")
    expect(handbook).to_have_attribute("target", "_blank")
    expect(handbook).to_have_attribute("rel", "noopener noreferrer")
    expect(navigation.get_by_role("region", name="Docs").get_by_role("link")).to_have_count(2)
    expect(navigation.get_by_role("link", name="My profile")).to_have_count(0)

    page.get_by_title("Settings and account").click()
    expect(page.get_by_role("dialog").get_by_role("link", name="My profile")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("complementary", name="Plugins").get_by_role("link", name="On every page")).to_be_visible()

    page.goto("/dags/brew")
    expect(page.get_by_role("main").get_by_role("link", name="Tickets")).to_have_attribute(
        "href", "https://tickets.example.org/?dag=brew"
    )


def test_a_react_app_of_the_plugins_folder_runs_in_the_page(page: Page) -> None:
    page.get_by_role("navigation").get_by_role("link", name="Counter", exact=True).click()
    page.get_by_role("button", name="Counted 0 of all").click()
    expect(page.get_by_role("button", name="Counted 1 of all")).to_be_visible()
    _is_clean(page)

    page.goto("/dags/brew")
    page.get_by_role("tab", name="Counter of a DAG").click()
    expect(page.get_by_role("button", name="Counted 0 of brew")).to_be_visible()

    page.goto("/")
    card = page.get_by_role("region", name="Counter at home").first
    expect(card.get_by_role("button", name="Counted 0 of all")).to_be_visible()


def test_what_is_not_shown_says_why(page: Page) -> None:
    page.goto("/plugins")

    told = page.get_by_role("listitem").filter(has_text="more: ")
    expect(told.filter(has_text="React app 'From elsewhere'")).to_contain_text("on another server")
    expect(told.filter(has_text="fastapi_apps 'Mine'")).to_contain_text("runs no code of plugins")
    expect(page.get_by_role("main")).to_contain_text("appbuilder_menu_items 'Old wiki'")
    _is_clean(page)


def test_a_page_that_there_is_not_leads_on(page: Page) -> None:
    page.goto("/plugin/nothing")
    expect(page.get_by_role("alert")).to_contain_text("No plugin has such a page")
    page.get_by_role("link", name="Back to the overview").click()
    expect(page.get_by_role("heading", name="Overview")).to_be_visible()


def test_the_palette_finds_views(page: Page) -> None:
    page.keyboard.press("Control+k")
    page.keyboard.type("stock lev")
    page.keyboard.press("Enter")

    expect(page.frame_locator("iframe").locator("#where")).to_have_text("/stock")


def test_a_deployment_has_a_name_an_icon_and_colours_of_its_own(page: Page) -> None:
    """Nothing of them is run, and words can still be read (A8)."""
    page.goto("/dags")
    page.get_by_role("heading", name="DAGs").wait_for()

    brand = page.get_by_role("navigation").get_by_role("link", name=_NAME)
    expect(brand).to_be_visible()
    expect(brand.locator("img")).to_have_attribute("src", "/ui/plugin_files/shop/icon.svg")
    expect(page).to_have_title(f"DAGs · {_NAME}")
    style = "(name) => getComputedStyle(document.querySelector('h1')).getPropertyValue(name)"
    assert page.evaluate(style, "letter-spacing") == "2px"
    assert page.evaluate(style, "--brand-700") == "#0a7050"
    expect(page.get_by_role("link", name="brew", exact=True).first).to_have_css("color", "rgb(10, 112, 80)")
    _is_clean(page)


@pytest.fixture
def hushed(page: Page) -> Iterator[Page]:
    """A page in which something goes wrong that browsers tell in the console, by whatever we do."""
    other = page.context.new_page()
    yield other
    other.close()


def test_a_part_that_stumbles_leaves_the_rest_of_the_page(hushed: Page) -> None:
    hushed.goto("/plugin/stumbles")

    expect(hushed.get_by_role("main").get_by_role("alert")).to_contain_text("It has stumbled.")
    expect(hushed.get_by_role("navigation").get_by_role("link", name="DAGs")).to_be_visible()


def test_a_page_that_refuses_to_be_framed_can_be_opened(hushed: Page) -> None:
    hushed.goto("/plugin/refuses")

    expect(hushed.get_by_role("main")).to_contain_text("Nothing to see?")
    expect(hushed.get_by_role("link", name="open it in a new tab")).to_have_attribute("rel", "noopener noreferrer")


def test_without_an_answer_about_plugins_the_rest_is_there(hushed: Page) -> None:
    def refuse(route: Route) -> None:
        route.fulfill(status=500, json={"detail": "Said by a test."})

    hushed.route("**/ui/plugin_views", refuse)
    hushed.goto("/plugin/stock")

    expect(hushed.get_by_role("alert")).to_contain_text("Said by a test.")
    expect(hushed.get_by_role("navigation").get_by_role("link", name="Pools")).to_be_visible()
    hushed.unroute_all()
    hushed.get_by_role("button", name="Try again").click()
    expect(hushed.frame_locator("iframe").locator("#where")).to_have_text("/stock")


def _task_of_a_run(deployment: Deployment) -> str:
    """The name of a task; the DAG has a run with a name that has to be written otherwise in addresses."""
    until(lambda: deployment.ask("GET", "/api/v2/dags")["total_entries"] >= 2, "its DAGs to be read")
    runs = deployment.ask("GET", "/api/v2/dags/brew/dagRuns")["dag_runs"]
    if "a+b:c" not in [run["dag_run_id"] for run in runs]:
        deployment.ask("POST", "/api/v2/dags/brew/dagRuns", {"dag_run_id": "a+b:c", "logical_date": None})
    return str(deployment.ask("GET", "/api/v2/dags/brew/tasks")["tasks"][0]["task_id"])
