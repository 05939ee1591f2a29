"""The server is upgraded while its pages are open, or goes away (A8)."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, Route, StorageState, expect

from tests.browser.conftest import PATIENCE_MS, Deployment

_SCRIPT = re.compile(r'src="/static/index-[^"]+\.js"')
_PAGES = re.compile(r"^\w+://[^/]+/(?!static/|api/|ui/|auth/|icon)")
_STAYED = "() => window.stayed === true"


@pytest.fixture
def opened(browser: Browser, deployment: Deployment, known: StorageState) -> Iterator[Page]:
    """The list of DAGs, marked so that one sees whether it was loaded anew since."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, base_url=deployment.url, storage_state=known)
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.goto("/dags")
    page.get_by_role("link", name="brew", exact=True).wait_for()
    page.evaluate("() => { window.stayed = true; }")
    yield page
    context.close()


def _upgrade(page: Page) -> None:
    """From now on the server has other files: those that the page knows are gone, and a page loaded anew has others."""
    page.route("**/static/*", lambda route: route.fulfill(status=404, body="There is no such file"))

    def show(route: Route) -> None:
        answer = route.fetch()
        if route.request.is_navigation_request():
            page.unroute("**/static/*")
            route.fulfill(response=answer)
        else:
            route.fulfill(response=answer, body=_SCRIPT.sub('src="/static/index-newer.js"', answer.text()))

    page.route(_PAGES, show)


@pytest.mark.parametrize("name", ["Pools", "Users"])
def test_a_page_that_is_gone_is_loaded_anew_at_its_address(opened: Page, name: str) -> None:
    _upgrade(opened)
    opened.get_by_role("link", name=name).click()

    expect(opened.get_by_role("heading", name=name, level=1)).to_be_visible()
    opened.wait_for_function("() => window.stayed === undefined")
    expect(opened.get_by_role("alert")).to_have_count(0)


def test_a_part_of_a_page_that_is_gone_is_loaded_anew(opened: Page) -> None:
    opened.get_by_role("link", name="brew", exact=True).click()
    opened.get_by_role("tab", name="Graph").wait_for()
    _upgrade(opened)
    opened.get_by_role("tab", name="Graph").click()

    expect(opened.get_by_role("button", name=re.compile("^Fit"))).to_be_visible()
    expect(opened).to_have_url(re.compile("/dags/brew/graph"))
    assert not opened.evaluate(_STAYED)


def test_where_no_server_answers_the_page_stays_and_says_what_to_do(opened: Page) -> None:
    """A browser's own page, from which nothing leads back, would be worse."""
    opened.route("**/*", lambda route: route.abort())
    opened.get_by_role("link", name="Pools").click()

    expect(opened.get_by_role("alert")).to_contain_text("The server does not answer.")
    with opened.expect_event("requestfailed", lambda request: request.url.endswith("/")):
        opened.get_by_role("button", name="Try again").click()
    expect(opened.get_by_role("alert")).to_contain_text("The server does not answer.")
    assert opened.evaluate(_STAYED)
    opened.unroute("**/*")
    opened.get_by_role("button", name="Try again").click()
    expect(opened.get_by_role("cell", name="default_pool Default pool")).to_be_visible()


def test_a_server_that_comes_back_with_newer_pages_is_said(
    browser: Browser, deployment: Deployment, known: StorageState
) -> None:
    """Nobody loses what they are writing: it is for them to say when."""
    context = browser.new_context(base_url=deployment.url, storage_state=known)
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    page.add_init_script(_STREAM)
    page.goto("/dags")
    page.wait_for_function("() => window.streams.length > 0")
    page.evaluate("() => window.streams[0].dispatchEvent(new Event('open'))")
    _upgrade(page)
    page.evaluate("() => window.streams[0].dispatchEvent(new Event('open'))")

    page.get_by_role("button", name="Load the new pages").click()
    page.get_by_role("heading", name="DAGs").wait_for()
    expect(page.get_by_role("button", name="Load the new pages")).to_have_count(0)
    context.close()


_STREAM = """
window.streams = [];
window.EventSource = class extends EventTarget {
    constructor() { super(); this.readyState = 1; window.streams.push(this); }
    close() { this.readyState = 2; }
};
"""
"""A stream that the test begins and breaks."""
