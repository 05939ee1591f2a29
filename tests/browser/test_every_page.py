"""What holds for every page: nothing stumbles, nothing runs that somebody named, nobody acts who may not (A8)."""

import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Route, expect

from tests.architecture.sources import ROOT
from tests.browser import axe
from tests.browser.addresses import LOOKS, ROUTES, Look, looks, places
from tests.browser.conftest import PATIENCE_MS, log_in
from tests.browser.demo import Demo, demo
from tests.browser.pictures import small_picture

PICTURES = "TRADEWIND_SCREENSHOTS"
"""Set: every page is painted into docs/images, and has no names that would look odd there."""
_ALSO_DARK = ("overview", "grid-task", "graph")
_IMAGES = ROOT / "docs" / "images"
SETTLED = """() => document.querySelector("main h1") !== null && window.__TSR_ROUTER__?.state.status === "idle"
    && document.querySelector('[aria-busy="true"]') === null"""
SHOW = "(href) => window.__TSR_ROUTER__.navigate({href})"
_HACKED = """() => ["img[src='x']", "a[href^='javascript:']", "script:not([src])", "iframe:not([sandbox])",
    "iframe[srcdoc]", "iframe[src^='javascript:']", "iframe[sandbox*='navigation']"].filter(
    (each) => document.querySelector(each) !== null).concat(window.hacked === undefined ? [] : ["it ran"])"""
_ELSEWHERE = """([here, there]) => {
    const texts = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) texts.currentNode.data = texts.currentNode.data.replaceAll(here, there);
}"""
"""Pictures do not show where the tests have their files."""
_SLOW_MS = 100
_STEADY = 0.02
"""How much of a page may move how far, by the measure of browsers, of which 0.1 is called good."""
_JUMPS = """() => new Promise((resolve) => {
    const found = [];
    new PerformanceObserver((list) => {
        for (const {value, sources} of list.getEntries()) {
            const moved = sources.map(({node, previousRect: was, currentRect: is}) =>
                `${node?.nodeName} ${(node?.textContent ?? "").slice(0, 40)} ${was.x},${was.y} -> ${is.x},${is.y}`);
            found.push({size: value, moved});
        }
    }).observe({type: "layout-shift", buffered: true});
    requestAnimationFrame(() => setTimeout(() => resolve(found)));
})"""
_ASKED = re.compile(r"/(api/v2|ui|auth)/")
_STILL_KNOWN = re.compile(r"/(ui/me|ui/events\?since=[0-9]+|api/v2/version|api/v2/dags/[^/?]+)$")
_REFUSAL = "Said by a test."
_ALL_REFUSED_BUT = {"details", "details-deadlines", "plugin", "dag-plugin", "task-plugin"}
"""They show the DAG itself, or what the navigation knows already."""
_DEEDS = re.compile(
    r"^\W*(trigger|run again|clear|mark|delete|add|create|new|change|edit|save|import|materiali|pause|unpause|"
    r"backfill|start|stop|cancel a|answer|approve|reject|reset|revoke|upload|parse)\b",
    re.IGNORECASE,
)


@pytest.fixture(scope="module")
def shown(tmp_path_factory: pytest.TempPathFactory, built_pages: None) -> Iterator[Demo]:
    with demo(tmp_path_factory.mktemp("demo"), has_evil=not os.environ.get(PICTURES)) as made:
        yield made


class Watched:
    """A page, and what went wrong in it."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.problems: list[str] = []
        self.changes: list[str] = []
        page.on("console", self._note)
        page.on("pageerror", lambda error: self.problems.append(str(error)))
        page.on("request", lambda request: self.changes.append(request.url) if request.method != "GET" else None)

    def go(self, look: Look, demo: Demo, *, loads: bool = True) -> None:
        """Load the page anew, or only let the application show it, which takes a fraction of the time."""
        self.problems.clear()
        self.changes.clear()
        address = look.at(places(asset_id=demo.asset_id, old_runs=demo.old_runs, has_evil=demo.has_evil))
        if loads:
            self.page.goto(address)
        else:
            self.page.evaluate(SHOW, address)
        self.page.wait_for_function(SETTLED)

    def _note(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.problems.append(message.text)


def _watched(browser: Browser, demo: Demo, name: str) -> Iterator[Watched]:
    context = browser.new_context(
        viewport={"width": 1280, "height": 800}, base_url=demo.url, color_scheme="light", reduced_motion="reduce"
    )
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    log_in(page, name)
    yield Watched(page)
    context.close()


@pytest.fixture(scope="module")
def admin(browser: Browser, shown: Demo) -> Iterator[Watched]:
    """Who may do everything; logged in once."""
    yield from _watched(browser, shown, "admin")


@pytest.fixture(scope="module")
def steady(browser: Browser, shown: Demo) -> Iterator[Watched]:
    """Who has a slow line: every answer takes a while."""
    for watched in _watched(browser, shown, "admin"):
        line = {"offline": False, "latency": _SLOW_MS, "downloadThroughput": -1, "uploadThroughput": -1}
        watched.page.context.new_cdp_session(watched.page).send("Network.emulateNetworkConditions", line)
        yield watched


class Refusing:
    """A server that knows who asks, and the DAG of a page; all else it refuses."""

    def __init__(self, context: BrowserContext) -> None:
        self.status = 403
        """None: it does not answer at all."""
        context.route(_ASKED, self.answer)

    def answer(self, route: Route) -> None:
        if _STILL_KNOWN.search(route.request.url):
            route.fallback()
        elif not self.status:
            route.abort("connectionrefused")
        else:
            route.fulfill(status=self.status, json={"detail": _REFUSAL})


@pytest.fixture(scope="module")
def refused(browser: Browser, shown: Demo) -> Iterator[tuple[Watched, Refusing]]:
    """Who logged in, and then gets nothing but refusals."""
    for watched in _watched(browser, shown, "admin"):
        _forget(watched.page)
        yield watched, Refusing(watched.page.context)


@pytest.fixture(scope="module")
def viewer(browser: Browser, shown: Demo) -> Iterator[Watched]:
    """Who may only look."""
    yield from _watched(browser, shown, "vera")


def test_no_page_of_the_router_is_left_out(admin: Watched) -> None:
    """A new page needs a line in `addresses.LOOKS`: then all of this is tested of it, too."""
    assert set(admin.page.evaluate(ROUTES)) == set(LOOKS)


@pytest.mark.parametrize("look", looks(), ids=lambda look: look.name)
def test_a_page_is_for_everybody_and_runs_nothing(look: Look, admin: Watched, shown: Demo) -> None:
    """Axe finds nothing, in the light and in the dark; no message in the console; names stay text."""
    page = admin.page
    admin.go(look, shown, loads=False)
    if look.then is not None:
        look.then(page)
        page.locator("dialog[open]").wait_for()
        page.wait_for_function(SETTLED)
    _paint(look, page, shown)

    found = axe.violations(page)
    page.emulate_media(color_scheme="dark")
    if look.name in _ALSO_DARK:
        _paint(look, page, shown, "-dark")
    found += [f"in the dark: {each}" for each in axe.violations(page, only_colours=True)]
    page.emulate_media(color_scheme="light")
    if look.then is not None:
        page.keyboard.press("Escape")

    assert "\n".join(found) == ""
    assert page.evaluate(_HACKED) == []
    assert admin.problems == []
    expect(page.get_by_role("alert")).to_have_count(0)


_TASKS = "/dags/evil/runs/evil_1/tasks"


@pytest.mark.parametrize(
    ("address", "before"),
    [
        ("/dags/evil/details", "Describes "),
        ("/dags/evil/details", "a link"),
        ("/dags/evil/runs/evil_1", ""),
        (f"{_TASKS}/bash", "Noted "),
        (f"{_TASKS}/bash?tab=details", "About a task "),
        (f"{_TASKS}/bash?tab=rendered_templates", "echo "),
        (f"{_TASKS}/within.say?map_index=0&tab=logs", ""),
        (f"{_TASKS}/within.say?map_index=0&tab=xcom", ""),
        ("/dags/evil?num=10", "task "),
        ("/assets/{asset}", "told"),
        ("/required_actions", ""),
        ("/pools", "warehouse"),
        ("/connections", "Orders and customers."),
        ("/plugins", "Not shown or not used"),
        ("/dags/evil/overview", "Link "),
    ],
)
def test_what_would_run_is_there_to_be_read(address: str, before: str, admin: Watched, shown: Demo) -> None:
    """Else that nothing of it ran would prove little (A8)."""
    admin.go(Look("evil", address), shown, loads=False)

    main = admin.page.get_by_role("main")
    expect(main).to_contain_text(before)
    expect(main).to_contain_text("onerror=")
    assert admin.page.evaluate(_HACKED) == []


@pytest.mark.parametrize(
    "look", [look for look in looks() if look.then is None and look.name != "account"], ids=lambda look: look.name
)
def test_a_viewer_is_offered_no_deed(look: Look, viewer: Watched, shown: Demo) -> None:
    """A page either says that it is not for them, or has no button that would change something."""
    viewer.go(look, shown, loads=False)

    buttons = viewer.page.get_by_role("main").locator("button:enabled, [role=switch]:enabled").all()
    names = [button.get_attribute("aria-label") or button.inner_text() for button in buttons]
    assert [name for name in names if _DEEDS.match(name.strip())] == []
    assert viewer.changes == []


@pytest.mark.parametrize("look", [look for look in looks() if look.then is None], ids=lambda look: look.name)
def test_nothing_jumps_while_a_page_is_loaded(look: Look, steady: Watched, shown: Demo) -> None:
    """On a slow line, where what comes later would push away what somebody is reading (A8)."""
    steady.go(look, shown)

    jumps = steady.page.evaluate(_JUMPS)
    assert sum(jump["size"] for jump in jumps) < _STEADY, jumps


@pytest.mark.parametrize(
    "look",
    [look for look in looks() if look.then is None and look.name not in _ALL_REFUSED_BUT],
    ids=lambda look: look.name,
)
def test_a_page_says_why_there_is_nothing_and_leads_on(
    look: Look, refused: tuple[Watched, Refusing], shown: Demo
) -> None:
    """What the server said is there to be read, beside a way on; nothing stumbles (A8)."""
    watched, refusing = refused
    refusing.status = 403
    watched.go(look, shown, loads=False)

    alert = watched.page.get_by_role("main").get_by_role("alert").filter(has_text=_REFUSAL).first
    expect(alert).to_be_visible()
    expect(alert.locator("button, a").first).to_be_visible()
    assert [each for each in watched.problems if "Failed to load resource" not in each] == []


@pytest.mark.parametrize(
    ("status", "says"),
    [
        (403, "give you the right"),
        (404, "may have been deleted"),
        (500, "log of the API server"),
        (0, "server does not answer"),
    ],
)
def test_another_try_shows_what_there_is(
    status: int, says: str, refused: tuple[Watched, Refusing], shown: Demo
) -> None:
    """Whatever it was: what helps is said, and when it is over, one button brings the page back (A8)."""
    watched, refusing = refused
    page = watched.page
    refusing.status = status
    page.goto(f"/pools?again={status}")
    expect(page.get_by_role("main").get_by_role("alert")).to_contain_text(says)

    page.context.unroute_all()
    page.get_by_role("button", name="Try again").click()

    expect(page.get_by_role("table", name="Pools")).to_be_visible()
    _forget(page)
    page.context.route(_ASKED, refusing.answer)


def _forget(page: Page) -> None:
    """Load the application where it shows nothing, so that it has no answer left from before."""
    page.goto("/nowhere")
    page.wait_for_function(SETTLED)


def _paint(look: Look, page: Page, demo: Demo, suffix: str = "") -> None:
    if not os.environ.get(PICTURES):
        return
    page.evaluate(_ELSEWHERE, [str(demo.gate.parent), "/srv/shop"])
    page.evaluate(_ELSEWHERE, [demo.elsewhere.removeprefix("http://"), "stock.shop.example"])
    _IMAGES.mkdir(exist_ok=True)
    file = Path(_IMAGES, f"{look.name}{suffix}.png")
    file.write_bytes(small_picture(page))
