"""The pages in a browser, against a running deployment (A8, D4, D5)."""

import re

from playwright.sync_api import Page, expect

from tests.browser.conftest import Deployment
from tests.browser.typing_json import type_json


def test_a_run_is_triggered_watched_and_read(page: Page, deployment: Deployment) -> None:
    """With a configuration; its tasks turn green by themselves, and the log grows while it is read.

    Of the grid, only the run that changed is loaded anew (D5).
    """
    grids: list[str] = []
    page.on("request", lambda request: grids.append(request.url) if "/ui/grid/greeting" in request.url else None)
    page.get_by_role("button", name="Trigger greeting").click()
    type_json(page, "Configuration", '{"name": "harbour"}')
    page.get_by_role("button", name="Trigger", exact=True).click()

    expect(page.get_by_role("button", name=re.compile("^greet in .*: success"))).to_be_visible()
    page.get_by_role("button", name=re.compile("^wait_for_leave in .*: running")).click()
    expect(page.get_by_text("waiting for leave")).to_be_visible()
    deployment.gate.write_text("go")
    expect(page.get_by_text("it may leave")).to_be_visible()
    expect(page.get_by_role("button", name=re.compile("^wait_for_leave in .*: success"))).to_be_visible()
    assert any("changed=manual__" in each for each in grids)

    page.get_by_role("button", name=re.compile("^greet in .*: success")).click()
    expect(page.get_by_text("hello, harbour")).to_be_visible()
    expect(page.get_by_text("<img src=x onerror=").first).to_be_visible()
    expect(page).to_have_title("greeting · Tradewind")


def test_what_failed_is_mended_and_run_again(page: Page, deployment: Deployment) -> None:
    page.get_by_role("button", name="Trigger fragile").click()
    page.get_by_role("button", name="Trigger", exact=True).click()
    page.get_by_role("button", name=re.compile("^follow in .*: upstream failed")).wait_for()
    page.get_by_role("button", name=re.compile("^fail_once in .*: failed")).click()
    expect(page.get_by_text("RuntimeError: it broke")).to_be_visible()

    deployment.gate.with_name("mended").touch()
    page.get_by_role("button", name="Clear").click()
    page.get_by_role("button", name="Clear 2 tasks").click()

    expect(page.get_by_role("button", name=re.compile("^follow in .*: success"))).to_be_visible()


def test_a_broken_configuration_is_refused_in_the_dialog(page: Page) -> None:
    page.get_by_role("button", name="Trigger fragile").click()
    type_json(page, "Configuration", "[1]")
    page.get_by_role("button", name="Trigger", exact=True).click()

    expect(page.get_by_role("alert")).to_contain_text("is an object")


def test_why_a_paused_dag_does_not_run(page: Page) -> None:
    page.get_by_role("switch", name="Pause fragile").click()
    page.get_by_role("switch", name="Unpause fragile").wait_for()
    page.get_by_role("link", name="fragile", exact=True).click()

    expect(page.get_by_role("region", name="Why?")).to_contain_text("paused")
    page.get_by_role("switch", name="Unpause fragile").click()
    page.get_by_role("switch", name="Pause fragile").wait_for()


def test_the_graph_and_the_code_are_shown(page: Page) -> None:
    page.get_by_role("link", name="greeting", exact=True).click()
    page.get_by_role("tab", name="Graph").click()
    page.get_by_title(re.compile("^wait_for_leave: ")).click()
    expect(page).to_have_url(re.compile("/graph"))

    page.get_by_role("tab", name="Code").click()
    expect(page.get_by_text("def wait_for_leave() -> None:")).to_be_visible()
