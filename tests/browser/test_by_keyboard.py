"""Everything can be done without a mouse, and in the dark (A8)."""

import re
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.conftest import PASSWORD, PATIENCE_MS, Deployment

_MOST_STEPS = 120
_FOCUSED = """() => { const at = document.activeElement; return at === null ? "" :
    (at.getAttribute("aria-label") ?? at.textContent ?? "").trim(); }"""


@pytest.fixture
def untouched(browser: Browser, deployment: Deployment) -> Iterator[Page]:
    """A page in which a mouse does nothing."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, base_url=deployment.url)
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    yield page
    context.close()


def _tab_to(page: Page, name: str) -> None:
    """Go from one thing to the next until this one has the focus."""
    passed = []
    for _ in range(_MOST_STEPS):
        page.keyboard.press("Tab")
        passed.append(page.evaluate(_FOCUSED))
        if re.search(name, passed[-1]):
            return
    raise AssertionError(f"Tab does not lead to {name!r}, but to {passed}")


def _log_in(page: Page) -> None:
    page.goto("/dags")
    expect(page.get_by_label("Name")).to_be_focused()
    page.keyboard.type("admin")
    page.keyboard.press("Tab")
    expect(page.get_by_label("Password")).to_be_focused()
    page.keyboard.type(PASSWORD)
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="DAGs").wait_for()


def _choose(page: Page, typed: str, wanted: str) -> None:
    """By the palette: the best of what is found is taken."""
    page.keyboard.press("Control+k")
    expect(page.get_by_role("combobox", name="Search")).to_be_focused()
    page.keyboard.type(typed)
    found = page.get_by_role("dialog").get_by_role("option", selected=True)
    expect(found).to_contain_text(wanted)
    page.keyboard.press("Enter")


def test_a_run_is_asked_for_and_its_log_read_by_keyboard(untouched: Page) -> None:
    """Log in, find the DAG by the palette, trigger it, go to the task, read what it said."""
    page = untouched
    _log_in(page)

    _choose(page, "said", "said")
    expect(page).to_have_url(re.compile("/dags/said"))
    page.get_by_role("heading", name="said", exact=True).wait_for()

    _tab_to(page, "^▶ Trigger$")
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    _tab_to(page, "^Trigger$")
    page.keyboard.press("Enter")
    page.get_by_role("button", name=re.compile("^say in .*: success")).wait_for()

    _tab_to(page, "manual__")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.get_by_text("said by keyboard").first).to_be_visible()


def test_what_has_the_focus_is_seen(untouched: Page) -> None:
    page = untouched
    _log_in(page)

    for _ in range(12):
        page.keyboard.press("Tab")
        outline = page.evaluate("() => getComputedStyle(document.activeElement).outlineStyle")
        assert outline != "none", page.evaluate(_FOCUSED)


def test_the_system_may_be_dark_and_a_person_may_want_it_so(untouched: Page) -> None:
    """Follows the system unless told otherwise; what was told is kept."""
    page = untouched
    ground = "() => getComputedStyle(document.body).backgroundColor"
    page.emulate_media(color_scheme="light")
    _log_in(page)
    light = page.evaluate(ground)
    page.emulate_media(color_scheme="dark")
    dark = page.evaluate(ground)
    assert dark != light

    _choose(page, "light theme", "Light theme")
    expect(page.locator("html")).to_have_attribute("data-theme", "light")
    assert page.evaluate(ground) == light
    page.reload()
    page.get_by_role("heading", name="DAGs").wait_for()
    assert page.evaluate(ground) == light
