"""What stands around DAGs: navigation, search, overview, assets, administration (A8, D4, D5, D6)."""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, StorageState, expect

from tests.acceptance.deployment import until
from tests.browser.conftest import PATIENCE_MS, Deployment, log_in

_ALL_PAGES = 21
"""Without the configuration, which nobody is shown unless `[api] expose_config` says so."""


@pytest.fixture
def viewer(browser: Browser, deployment: Deployment) -> Iterator[Page]:
    """Who may only look."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, base_url=deployment.url)
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    log_in(page, "vera")
    yield page
    context.close()


def test_the_navigation_leads_to_every_page_and_says_where_one_is(page: Page) -> None:
    documents = "a[href='/docs']"
    expect(page.get_by_role("navigation").locator(documents)).to_have_text("REST API reference")
    pages = page.get_by_role("navigation").get_by_role("listitem").locator(f"a:not({documents.removeprefix('a')})")
    expect(pages).to_have_count(_ALL_PAGES)
    for number in range(_ALL_PAGES):
        pages.nth(number).click()
        expect(pages.nth(number)).to_have_attribute("aria-current", "page")
        expect(page.get_by_role("main").get_by_role("heading").first).to_be_visible()
        expect(page.get_by_role("alert")).to_have_count(0)

    page.get_by_role("button", name="Admin", exact=True).click()
    page.reload()
    expect(page.get_by_role("link", name="Pools")).to_have_count(0)
    page.get_by_role("button", name="Admin", exact=True).click()
    expect(page.get_by_role("link", name="Pools")).to_be_visible()


def test_the_navigation_and_the_deeds_of_a_row_fit_a_small_screen(page: Page, deployment: Deployment) -> None:
    """D4: whatever people write into a description."""
    words = "No more at once than the interface of the accountants can take on a Monday. " * 3
    pool = {"name": "external_reporting_interface", "slots": 25, "description": words}
    deployment.ask("POST", "/api/v2/pools", pool)
    page.goto("/pools")

    delete = page.get_by_role("button", name="Delete external_reporting_interface")
    expect(delete).to_be_in_viewport(ratio=1)
    page.set_viewport_size({"width": 1000, "height": 800})
    expect(delete).to_be_in_viewport(ratio=1)
    page.set_viewport_size({"width": 1280, "height": 800})
    for name in ("Overview", "REST API reference"):
        expect(page.get_by_role("navigation").get_by_role("link", name=name)).to_be_in_viewport(ratio=1)
    deployment.ask("DELETE", "/api/v2/pools/external_reporting_interface")


def test_on_a_narrow_screen_the_navigation_comes_when_it_is_asked_for(page: Page) -> None:
    page.set_viewport_size({"width": 800, "height": 700})
    expect(page.get_by_role("link", name="Assets", exact=True)).to_be_hidden()

    page.get_by_role("button", name="Navigation").click()
    page.get_by_role("link", name="Assets", exact=True).click()

    expect(page.get_by_role("heading", name="Assets")).to_be_visible()
    expect(page.get_by_role("link", name="Assets", exact=True)).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollWidth") <= 800


def test_pages_and_actions_are_found_by_keys(page: Page) -> None:
    page.keyboard.press("Control+k")
    page.keyboard.type("brew")
    found = page.get_by_role("dialog").get_by_role("option")
    expect(found.first).to_contain_text("brew")
    expect(found.filter(has_text="Trigger brew")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)

    page.keyboard.press("g")
    page.keyboard.press("p")
    expect(page.get_by_role("heading", name="Pools")).to_be_visible()

    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_contain_text("Search and commands")
    page.get_by_role("button", name="Close").click()

    page.keyboard.press("[")
    expect(page.get_by_role("link", name="Pools")).to_be_hidden()
    page.keyboard.press("[")
    expect(page.get_by_role("link", name="Pools")).to_be_visible()


def test_a_task_of_any_dag_is_found_by_its_name(page: Page) -> None:
    """Whatever is looked at, and without loading the tasks of all DAGs (A8)."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.keyboard.press("Control+k")
    page.keyboard.type("pour brew")
    found = page.get_by_role("dialog").get_by_role("option").filter(has_text="Task")
    expect(found.first).to_contain_text("pour")
    expect(found.first).to_contain_text("brew")
    page.keyboard.press("Enter")

    expect(page).to_have_url(re.compile("/dags/brew/tasks/pour$"))
    assert any("/ui/tasks?text=pour" in url for url in asked)
    assert not any(re.search(r"/dags/[^/]+/tasks$", url) for url in asked)


def test_theme_time_zone_and_dates_are_chosen_and_kept(page: Page) -> None:
    person = page.get_by_role("navigation").get_by_role("button", name=re.compile("^admin"))
    person.click()
    page.get_by_role("radio", name="Dark").check(force=True)
    page.get_by_role("combobox", name="Time zone").fill("tokyo")
    page.keyboard.press("Enter")
    page.get_by_role("combobox", name="Dates").select_option("de")
    page.reload()

    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(person).to_contain_text("Asia/Tokyo")
    page.goto("/events")
    expect(page.get_by_role("cell").first).to_have_text(re.compile(r"^\d\d\.\d\d\.\d{4}, \d\d:\d\d:\d\d$"))


def test_the_address_holds_which_dags_are_shown(page: Page) -> None:
    page.get_by_role("searchbox", name="Search DAGs").fill("rin")
    expect(page).to_have_url(re.compile(r"q=rin"))
    expect(page.get_by_role("listitem").filter(has=page.get_by_role("switch"))).to_have_count(1)
    page.get_by_role("button", name="Favorite drink").click()
    expect(page.get_by_role("button", name="Favorite drink")).to_have_attribute("aria-pressed", "true")
    page.get_by_role("searchbox", name="Search DAGs").fill("")
    page.get_by_role("button", name="hot").click()
    expect(page.get_by_role("link", name="brew", exact=True)).to_be_visible()
    expect(page.get_by_role("link", name="drink", exact=True)).to_have_count(0)
    page.get_by_role("button", name="Without hot").click()

    page.get_by_role("button", name="★ Favorites").click()
    page.reload()

    expect(page.get_by_role("link", name="drink", exact=True)).to_be_visible()
    expect(page.get_by_role("link", name="brew", exact=True)).to_have_count(0)
    page.get_by_role("button", name="★ Favorites").click()
    page.get_by_role("button", name="DAG", exact=True).click()
    page.get_by_role("button", name="DAG ↑").click()
    expect(page).to_have_url(re.compile(r"sort=-dag_display_name"))


def test_dags_are_narrowed_by_owner_bundle_runs_and_questions(page: Page, deployment: Deployment) -> None:
    """(A8) All of it is in the address; what is found is what the server says of any run, not only of the last one."""
    page.get_by_role("combobox", name="Owner").select_option("airflow")
    expect(page).to_have_url(re.compile("owner=airflow"))
    page.get_by_role("combobox", name="Bundle").select_option("dags-folder")
    expect(page).to_have_url(re.compile("bundle=dags-folder"))
    expect(page.get_by_role("link", name="brew", exact=True)).to_be_visible()
    page.get_by_role("button", name="Asks people").click()
    expect(page.get_by_text("No DAG fits this search")).to_be_visible()
    page.get_by_role("button", name="Show all DAGs").click()
    expect(page).to_have_url(re.compile("/dags$"))

    deployment.ask("POST", "/api/v2/dags/brew/dagRuns", {"logical_date": None, "dag_run_id": "was_bad"})
    until(lambda: deployment.ask("GET", "/api/v2/dags/brew/dagRuns/was_bad")["state"] == "success", "the run to end")
    deployment.ask("PATCH", "/api/v2/dags/brew/dagRuns/was_bad", {"state": "failed"})
    deployment.ask("POST", "/api/v2/dags/brew/dagRuns", {"logical_date": None, "dag_run_id": "is_good"})
    until(lambda: deployment.ask("GET", "/api/v2/dags/brew/dagRuns/is_good")["state"] == "success", "the run to end")
    states = page.get_by_role("combobox", name="State of runs")
    states.select_option("Last run failed")
    expect(page.get_by_role("link", name="brew", exact=True)).to_have_count(0)
    states.select_option("Any failed in 24 h")
    expect(page).to_have_url(re.compile("anyRun=failed"))
    expect(page.get_by_role("link", name="brew", exact=True)).to_be_visible()


def test_dags_are_shown_as_cards_and_that_is_remembered(page: Page) -> None:
    """(A8)"""
    page.get_by_role("group", name="View").get_by_role("button", name="Cards").click()
    expect(page).to_have_url(re.compile("view=cards"))
    card = page.get_by_role("article", name="brew")
    expect(card.get_by_role("switch", name="Pause brew")).to_be_visible()
    page.get_by_role("combobox", name="Order").select_option("Latest run first")
    expect(page).to_have_url(re.compile("sort=-last_run_start_date"))

    page.goto("/dags?q=brew")
    expect(card).to_be_visible()
    expect(page.get_by_role("article")).to_have_count(1)
    card.get_by_role("button", name="Trigger brew").click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.keyboard.press("Escape")
    page.get_by_role("group", name="View").get_by_role("button", name="Rows").click()
    expect(page.get_by_role("checkbox", name="Choose brew")).to_be_visible()


def test_an_event_of_an_asset_starts_what_waits_for_it(page: Page) -> None:
    page.goto("/assets")
    page.get_by_role("link", name="tea").click()
    graph = page.get_by_role("group", name="Graph of assets and DAGs")
    expect(graph.get_by_role("link", name="brew")).to_be_visible()
    expect(graph.get_by_role("link", name="drink")).to_be_visible()

    page.get_by_role("button", name="Create an event").click()
    page.get_by_label("Extra (JSON)").fill('{"cups": 2}')
    page.get_by_role("button", name="Create", exact=True).click()

    expect(page.get_by_role("cell", name="outside")).to_be_visible()
    page.get_by_role("table").get_by_role("link", name="drink").first.click()
    expect(page).to_have_url(re.compile("/dags/drink"))

    page.goto("/assets?view=graph")
    page.get_by_role("link", name="tea").click()
    page.get_by_role("button", name="Materialize").click()
    page.get_by_role("button", name="Run", exact=True).click()
    expect(page).to_have_url(re.compile("/dags/brew"))


def test_a_connection_has_the_fields_of_its_type_and_is_tried_out(page: Page) -> None:
    page.get_by_role("link", name="Connections").click()
    page.get_by_role("button", name="Add a connection").click()
    page.get_by_role("textbox", name="Name").fill("warehouse")
    page.get_by_role("combobox", name="Type").fill("slack")
    expect(page.get_by_label("Token")).to_be_visible()
    expect(page.get_by_label("Host")).to_have_count(0)
    page.get_by_role("combobox", name="Type").fill("aws")
    page.get_by_label("Region").fill("eu-north-1")
    page.get_by_label("Secret access key").fill("hidden")
    page.get_by_role("button", name="Test").click()
    expect(page.get_by_role("dialog").get_by_role("status")).to_contain_text("It does not work.")
    page.get_by_role("button", name="Add", exact=True).click()

    page.get_by_role("button", name="Change warehouse").click()
    expect(page.get_by_label("Extra (JSON)")).to_have_value(re.compile("eu-north-1"))
    expect(page.get_by_label("Secret access key")).to_have_value("")
    page.get_by_role("textbox", name="Description").fill("far away")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("cell", name="far away")).to_be_visible()

    page.get_by_role("button", name="Delete warehouse").click()
    page.get_by_role("button", name="Really delete warehouse").click()
    expect(page.get_by_text("No connections")).to_be_visible()


def test_variables_come_from_a_file_and_go_to_one_without_secrets(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "variables.json"
    file.write_text(json.dumps({"currency": "EUR", "api_key": "hidden", "regions": ["eu"]}))
    page.goto("/variables")
    page.get_by_role("button", name="Import").click()
    page.get_by_label("File (JSON)").set_input_files(file)
    page.get_by_role("dialog").get_by_role("button", name="Import").click()
    expect(page.get_by_role("status").filter(has_text="3 variables were imported")).to_be_visible()
    page.get_by_role("dialog").get_by_role("button", name="Close").click()

    expect(page.get_by_role("cell", name="EUR")).to_be_visible()
    expect(page.get_by_text("hidden")).to_have_count(0)
    with page.expect_download() as download:
        page.get_by_role("button", name="Export").click()
    assert json.loads(Path(download.value.path()).read_text()) == {"currency": "EUR", "regions": ["eu"]}
    expect(page.get_by_text("1 secret was left out.")).to_be_visible()

    for key in ("currency", "regions"):
        page.get_by_role("checkbox", name=f"Choose {key}").check()
    page.get_by_role("button", name="Delete 2 chosen").click()
    page.get_by_role("button", name="Really delete 2 chosen").click()
    expect(page.get_by_role("cell", name="regions", exact=True)).to_have_count(0)
    expect(page.get_by_role("cell", name="api_key", exact=True)).to_be_visible()


def test_people_get_accounts_roles_passwords_and_tokens(page: Page) -> None:
    page.goto("/roles")
    page.get_by_role("button", name="Add a role").click()
    page.get_by_label("Name").fill("Night")
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("cell", name="Night", exact=True)).to_be_visible()

    page.get_by_role("link", name="Users").click()
    page.get_by_role("button", name="Add a user").click()
    page.get_by_role("textbox", name="User name").fill("nina")
    page.get_by_role("checkbox", name="Night").check()
    page.get_by_role("button", name="Add", exact=True).click()
    expect(page.get_by_role("cell", name="Night, Viewer")).to_be_visible()
    page.get_by_role("button", name="New password for nina").click()
    page.get_by_role("dialog").get_by_label("New password").fill("a new one")
    page.get_by_role("button", name="Set").click()
    expect(page.get_by_role("dialog")).to_have_count(0)

    page.get_by_title("Settings and account").click()
    page.get_by_role("link", name="Account").click()
    page.get_by_role("button", name="Make a token").click()
    page.get_by_role("textbox", name="Name").fill("nightly")
    page.get_by_role("button", name="Make it").click()
    expect(page.get_by_role("dialog").locator("code")).not_to_be_empty()
    page.get_by_role("button", name="I have copied it").click()
    expect(page.get_by_text("nightly")).to_be_visible()


def test_a_viewer_sees_nothing_that_they_may_not_do(viewer: Page) -> None:
    """Or sees it disabled, with the reason (D6)."""
    expect(viewer.get_by_role("link", name="Pools")).to_be_visible()
    for name in ("Variables", "Connections", "Users", "Audit log"):
        expect(viewer.get_by_role("link", name=name)).to_have_count(0)
    pause = viewer.get_by_role("switch", name="Pause brew")
    expect(pause).to_be_disabled()
    expect(pause).to_have_attribute("title", re.compile(r"role \(Viewer\) may not change the DAG brew"))
    expect(viewer.get_by_role("button", name="Trigger brew")).to_have_count(0)

    viewer.get_by_role("link", name="Pools").click()
    expect(viewer.get_by_role("cell", name="default_pool")).to_be_visible()
    expect(viewer.get_by_role("button", name="Add a pool")).to_have_count(0)
    expect(viewer.get_by_role("button", name="Delete default_pool")).to_have_count(0)

    viewer.goto("/assets")
    viewer.get_by_role("link", name="tea").click()
    expect(viewer.get_by_role("button", name="Create an event")).to_be_disabled()


def test_a_lost_connection_is_said_and_changes_come_all_the_same(browser: Browser, deployment: Deployment) -> None:
    """Where no stream comes, the page looks for itself (D5)."""
    context = browser.new_context(base_url=deployment.url)
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.clock.install()
    page.route("**/ui/events*", lambda route: route.abort())
    log_in(page, "admin")

    page.clock.fast_forward(5_000)
    expect(page.get_by_text("Changes come with a delay")).to_be_visible()

    page.route("**/api/v2/version", lambda route: route.abort())
    page.clock.fast_forward(6_000)
    expect(page.get_by_text("The server cannot be reached")).to_be_visible()

    page.unroute("**/api/v2/version")
    deployment.ask("PATCH", "/api/v2/dags/brew", {"is_paused": True})
    page.clock.fast_forward(6_000)
    expect(page.get_by_role("switch", name="Unpause brew")).to_be_visible()
    deployment.ask("PATCH", "/api/v2/dags/brew", {"is_paused": False})
    context.close()


def test_what_changes_before_the_stream_begins_is_shown_when_it_does(
    page: Page, browser: Browser, deployment: Deployment, known: StorageState
) -> None:
    """A8."""
    late = browser.new_context(base_url=deployment.url, storage_state=known).new_page()
    # The first page listens already: the server knows which change was the last one.
    until(lambda: _is_marked(late), "a page that says which change was the last one")
    held: list[Route] = []

    def hold(route: Route) -> None:
        held.append(route)

    late.route("**/ui/events*", hold)
    late.goto("/dags")
    late.get_by_role("switch", name="Pause brew").wait_for()

    deployment.ask("PATCH", "/api/v2/dags/brew", {"is_paused": True})
    expect(late.get_by_role("switch", name="Pause brew")).to_be_visible()
    held[0].continue_()

    expect(late.get_by_role("switch", name="Unpause brew")).to_be_visible()
    deployment.ask("PATCH", "/api/v2/dags/brew", {"is_paused": False})
    late.context.close()


def _is_marked(page: Page) -> bool:
    page.goto("/dags")
    return page.locator("meta[name=live-mark]").count() == 1


def test_the_overview_tells_how_things_are(page: Page) -> None:
    """All components, what runs, what comes next, who has the slots (D4)."""
    page.get_by_role("link", name="Overview").click()

    health = page.get_by_role("list", name="Health")
    for name in ("Database", "Scheduler", "DAG processor", "Triggerer"):
        expect(health.get_by_role("listitem").filter(has_text=name)).to_contain_text("healthy")
    expect(page.get_by_role("region", name="Next runs")).to_contain_text("brew")
    expect(page.get_by_role("region", name="Pools")).to_contain_text("default_pool")
    page.get_by_role("link", name="DAGs that failed").click()
    expect(page).to_have_url(re.compile("anyRun=failed"))


def test_the_overview_counts_what_ended_within_a_period(page: Page, deployment: Deployment) -> None:
    """(A8) The address holds which one, and each state leads to what has it."""
    deployment.ask("POST", "/api/v2/dags/brew/dagRuns", {"logical_date": None, "dag_run_id": "counted"})
    until(lambda: deployment.ask("GET", "/api/v2/dags/brew/dagRuns/counted")["state"] == "success", "the run to end")
    page.goto("/")
    runs = page.get_by_role("region", name="Runs by state")
    expect(runs.get_by_role("listitem").filter(has_text="success")).to_be_visible()
    expect(page.get_by_role("region", name="Task instances by state")).to_contain_text("success")

    page.get_by_role("group", name="Period").get_by_role("button", name="7d").click()
    expect(page).to_have_url(re.compile(r"period=7d"))
    page.reload()
    expect(page.get_by_role("heading", name="Runs and tasks of the last 7 days")).to_be_visible()
    chart = page.get_by_role("figure", name="Runs that ended in the last 7 days")
    expect(chart.get_by_role("listitem")).to_have_count(28)
    expect(chart.get_by_role("link")).not_to_have_count(0)

    runs.get_by_role("link", name="success").click()
    expect(page).to_have_url(re.compile(r"/dag_runs\?state=success&from="))
    expect(page.get_by_role("cell", name="counted").first).to_be_visible()

    page.goto("/dags/brew/runs/counted")
    expect(page.get_by_role("region", name="Run counted")).to_contain_text("Usually")


def test_the_overview_shows_what_local_settings_say(page: Page, deployment: Deployment) -> None:
    """(A8) As Markdown; changes are there without a restart."""
    expect(page.get_by_role("list", name="Alerts")).to_have_count(0)
    settings = deployment.standalone.home / "config" / "airflow_local_settings.py"
    settings.parent.mkdir(exist_ok=True)
    settings.write_text("DASHBOARD_UIALERTS = [UIAlert('Tea **moves** to <b>5</b>', category='error')]")
    page.goto("/")

    alert = page.get_by_role("list", name="Alerts").get_by_role("listitem")
    expect(alert).to_have_text("ImportantTea moves to <b>5</b>")
    expect(alert.get_by_text("moves")).to_be_visible()
    settings.unlink()
