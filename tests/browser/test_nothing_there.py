"""Pages of a deployment in which nothing has happened yet: they say what to do, and nothing stumbles (A8)."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.acceptance.deployment import until
from tests.acceptance.standalone import Standalone, free_port, standing
from tests.browser.addresses import LOOKS
from tests.browser.conftest import PASSWORD, PATIENCE_MS, log_in
from tests.browser.test_every_page import SETTLED, SHOW

_DAG = """
from airflow.sdk import DAG, task

with DAG("new", schedule=None):

    @task
    def first():
        pass

    first()
"""
_OTHERS = "/dags/new", "/dags/new/overview", "/dags?q=unknown", "/import_errors", "/required_actions?which=answered"
_PATHS = sorted({path.replace("$dagId", "new") for path, found in LOOKS.items() if found} | set(_OTHERS))
_PAGES = [path for path in _PATHS if "$" not in path]
_SILENT = """() => [...document.querySelectorAll("main [data-notice]")].filter(
    (notice) => notice.textContent.trim() === notice.querySelector("strong").textContent.trim()
).map((notice) => notice.textContent)"""


@pytest.fixture(scope="module")
def nothing_yet(tmp_path_factory: pytest.TempPathFactory, built_pages: None) -> Iterator[Standalone]:
    """One DAG that never ran."""
    folder = tmp_path_factory.mktemp("new")
    dags = folder / "dags"
    dags.mkdir()
    Path(dags, "new.py").write_text(_DAG)
    variables = {"TRADEWIND_ADMIN_PASSWORD": PASSWORD}
    with standing(folder / "home", free_port(), dags_folder=dags, variables=variables) as standalone:
        assert standalone.log_in(PASSWORD) == 201
        until(lambda: standalone.ask("GET", "/api/v2/dags")[1]["total_entries"] == 1, "the DAG to be there")
        yield standalone


@pytest.fixture(scope="module")
def page(browser: Browser, nothing_yet: Standalone) -> Iterator[Page]:
    """Logged in once; from page to page within the application."""
    context = browser.new_context(base_url=f"http://127.0.0.1:{nothing_yet.port}")
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    log_in(page, "admin")
    yield page
    context.close()


@pytest.mark.parametrize("path", _PAGES)
def test_a_page_without_anything_says_what_to_do(path: str, page: Page) -> None:
    problems: list[str] = []
    page.on("console", lambda message: problems.append(message.text) if message.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: problems.append(str(error)))

    page.evaluate(SHOW, path)
    page.wait_for_function(SETTLED)

    main = page.get_by_role("main")
    expect(main.get_by_role("alert")).to_have_count(0)
    assert len(main.inner_text().split()) > 5, "more than its title"
    assert page.evaluate(_SILENT) == []
    assert problems == []
