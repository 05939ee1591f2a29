"""Runs and task instances in a browser, against a running deployment (A8, D4, D5)."""

import re
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.acceptance.deployment import until
from tests.browser.axe import violations
from tests.browser.conftest import Deployment, log_in
from tests.browser.typing_json import type_json

RUN = "the_run"
TASKS = f"/dags/views/runs/{RUN}/tasks"
HACKED = re.compile("hacked")


@pytest.fixture(scope="module")
def finished(deployment: Deployment) -> Deployment:
    """With a run of which a mapped task failed once."""
    note = "**bold** <img src=x onerror=\"document.title='hacked'\"> [x](javascript:document.title='hacked')"
    body = {"logical_date": None, "dag_run_id": RUN, "note": note, "conf": {note: note}}
    deployment.ask("POST", "/api/v2/dags/views/dagRuns", body)
    until(lambda: _state(deployment) == "failed", "the run to end")
    return deployment


def _state(deployment: Deployment) -> Any:
    return deployment.ask("GET", f"/api/v2/dags/views/dagRuns/{RUN}")["state"]


def test_a_long_log_is_searched_filtered_and_downloaded(page: Page, finished: Deployment) -> None:
    """Levels, search with next and previous, colours, links; only what is in sight is drawn (D5)."""
    page.goto(f"{TASKS}/talk")
    expect(page.get_by_text("20,006 lines")).to_be_visible()
    expect(page.get_by_text("red words")).to_have_css("color", re.compile("rgb"))
    expect(page.get_by_role("link", name="https://example.com/page")).to_have_attribute("rel", re.compile("noopener"))
    expect(page.locator('a[href^="javascript"]')).to_have_count(0)
    assert page.get_by_role("log").get_by_role("listitem").count() < 200
    assert violations(page) == []

    page.get_by_label("Search in the log").fill("line 1999")
    expect(page.get_by_role("status").filter(has_text="of 11")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_text("1 of 11")).to_be_visible()
    expect(page.get_by_role("log").locator("[aria-current]")).to_have_text(re.compile("line 1999$"))
    page.get_by_role("button", name="Previous").click()
    expect(page.get_by_role("log").locator("[aria-current]")).to_have_text(re.compile("line 19999$"))

    page.get_by_label("Lowest level").select_option("error")
    expect(page.get_by_role("log").get_by_role("listitem")).to_have_text([re.compile("it went wrong")])
    with page.expect_download() as download:
        page.get_by_role("button", name="Download").click()
    text = download.value.path().read_text()
    assert "line 20000\n" in text
    assert "red words and" in text


def test_a_log_is_read_by_keys(page: Page, finished: Deployment) -> None:
    """(A8) Those of Airflow's logs: ends, loggers, the whole window, a search, a file."""
    page.goto(f"{TASKS}/talk")
    lines = page.get_by_role("log")
    expect(page.get_by_text("20,006 lines")).to_be_visible()
    page.keyboard.press("Control+ArrowDown")
    expect(lines.get_by_text("line 20000", exact=True)).to_be_visible()
    page.keyboard.press("Control+ArrowUp")
    expect(lines.get_by_text("line 20000", exact=True)).to_have_count(0)

    page.keyboard.press("s")
    expect(page.get_by_role("checkbox", name="Loggers")).to_be_checked()
    page.keyboard.press("w")
    expect(page.get_by_role("checkbox", name="Wrap")).not_to_be_checked()
    page.keyboard.press("f")
    expect(page.get_by_role("region", name="Log")).to_have_attribute("data-full", "true")
    box = page.get_by_role("region", name="Log").bounding_box()
    assert box is not None
    assert (box["width"], box["height"]) == (1280, 800)
    assert violations(page) == []
    page.keyboard.press("f")
    expect(page.get_by_role("region", name="Log")).to_have_attribute("data-full", "false")
    with page.expect_download():
        page.keyboard.press("d")


def test_what_a_task_left_is_shown_and_changed(page: Page, finished: Deployment) -> None:
    """Rendered fields, XComs, attempts with what they used, details; the address holds the tab."""
    page.goto(f"{TASKS}/templated/rendered_templates")
    expect(page.get_by_text("echo views <img src=x")).to_be_visible()

    page.get_by_role("tab", name="XCom").click()
    expect(page).to_have_url(re.compile("tab=xcom"))
    page.get_by_role("button", name="Add an XCom").click()
    page.get_by_label("Key").fill("mine")
    type_json(page, "Value (JSON)", '{"a": [1, 2]}')
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_label("XCom mine")).to_contain_text("[2 values]")
    page.get_by_role("button", name="Delete mine").click()
    page.get_by_role("button", name="Really delete mine").click()
    expect(page.get_by_label("XCom mine")).to_have_count(0)

    page.get_by_role("tab", name="Attempts").click()
    expect(page.get_by_role("table", name="Attempts")).to_contain_text(re.compile(r"\d s.*[kM]B"))
    page.get_by_role("button", name="Log of try 1").click()
    expect(page.get_by_role("log")).to_be_visible()
    page.get_by_role("tab", name="Audit log").click()
    expect(page.get_by_role("cell", name="create_xcom_entry")).to_be_visible()
    page.get_by_role("tab", name="Details").click()
    expect(page.get_by_text("Slots in the pool")).to_be_visible()


def test_nothing_that_people_wrote_runs(page: Page, finished: Deployment) -> None:
    """Names, notes, configurations, rendered fields, XComs, links and log lines are text."""
    page.goto(f"/dags/views/runs/{RUN}")
    expect(page.get_by_role("region", name=f"Run {RUN}")).to_contain_text("javascript:document.title")
    tabs = [f"/dags/views/runs/{RUN}?tab={tab}" for tab in ("details", "tasks", "audit_log")]
    tabs += [f"{TASKS}/templated?tab={tab}" for tab in ("rendered_templates", "xcom", "audit_log", "details", "logs")]
    for address in tabs:
        page.goto(address)
        expect(page.get_by_role("tab", selected=True).last).to_be_visible()
        expect(page.locator("[aria-busy=true]")).to_have_count(0)
        assert page.locator('img[src="x"]').count() == 0
        assert page.locator('a[href^="javascript"]').count() == 0
        expect(page).not_to_have_title(HACKED)
    expect(page.get_by_text("Evil <img")).to_be_visible()


def test_copies_are_chosen_and_cleared(page: Page, finished: Deployment) -> None:
    """The dialog lists what it would clear; the copy runs again, and so does what follows it (D4)."""
    page.goto(f"{TASKS}/each")
    expect(page.get_by_role("link", name="gamma")).to_be_visible()
    page.get_by_label("State", exact=True).select_option("failed")
    expect(page.get_by_role("link", name="alpha")).to_have_count(0)
    page.get_by_label("Choose each [gamma]").check()

    finished.gate.with_name("gamma").touch()
    page.get_by_role("button", name="Clear").last.click()
    affected = page.get_by_role("list", name="Affected tasks")
    expect(affected.get_by_role("listitem")).to_have_count(2)
    assert violations(page) == []
    page.get_by_role("checkbox", name="Downstream").uncheck()
    expect(affected.get_by_role("listitem")).to_have_count(1)
    page.get_by_role("checkbox", name="Downstream").check()
    page.get_by_label("Note").fill("mended")
    page.get_by_role("button", name="Clear 2 tasks").click()

    until(lambda: _state(finished) == "success", "the run to end well")
    page.goto(f"{TASKS}/each/mapped/2")
    expect(page.get_by_role("region", name="Task each")).to_contain_text("success")
    expect(page.get_by_text("mended")).to_be_visible()
    page.get_by_label("Try").select_option("1")
    expect(page.get_by_text("RuntimeError: gamma broke")).to_be_visible()


def test_the_graph_shows_the_mapped_tasks_that_have_a_copy_of_a_number(page: Page, finished: Deployment) -> None:
    page.goto(f"/dags/views/graph?run={RUN}")
    page.get_by_role("region", name="Graph").get_by_title(re.compile("^each")).wait_for()
    page.keyboard.press("Control+Shift+F")
    filters = page.get_by_role("search", name="Graph filters")
    filters.get_by_label("Copy").fill("2")

    expect(filters.get_by_role("status")).to_have_text("1 of 4 tasks")
    expect(page).to_have_url(re.compile("copy=2"))
    filters.get_by_label("Copy").fill("3")
    expect(page.get_by_text("No task fits the filters")).to_be_visible()


def test_a_run_is_marked_and_noted(page: Page, finished: Deployment) -> None:
    page.goto(f"{TASKS}/after")
    page.get_by_role("button", name="Mark failed").click()
    expect(page.get_by_role("list", name="Affected tasks")).to_contain_text("after")
    page.get_by_role("button", name="Mark failed", exact=True).last.click()
    expect(page.get_by_role("region", name="Task after")).to_contain_text("failed")

    page.goto(f"/dags/views/runs/{RUN}")
    page.get_by_role("button", name="Change the note").click()
    page.get_by_label("Note").fill("it was *me*")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("it was me")).to_be_visible()


def test_a_viewer_reads_all_and_changes_nothing(browser: Browser, finished: Deployment) -> None:
    context = browser.new_context(base_url=finished.url)
    page = context.new_page()
    log_in(page, "vera")

    page.goto(f"{TASKS}/talk")
    expect(page.get_by_text("red words")).to_be_visible()
    expect(page.get_by_role("button", name="Clear")).to_be_disabled()
    expect(page.get_by_role("button", name="Add a note")).to_be_disabled()
    expect(page.get_by_role("tab", name="Audit log")).to_have_count(0)
    context.close()
