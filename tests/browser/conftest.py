"""A deployment with its pages, and a browser that looks at them."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Page, StorageState, expect, sync_playwright

from tests.acceptance.standalone import Standalone, free_port, standing
from tests.architecture.sources import ROOT
from tests.browser_report import NO_BROWSER

PATIENCE_MS = 60_000
PASSWORD = "a password of the tests"
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
REQUIRED = "TRADEWIND_TEST_BROWSER"
"""Set where the browser must be there."""


@dataclass(slots=True)
class Deployment:
    """Where the pages are, and what lets the waiting task go on."""

    standalone: Standalone
    gate: Path
    dags: Path
    """Copies: a test may write other versions of them."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.standalone.port}"

    def ask(self, method: str, path: str, body: object = None) -> Any:
        """As an administrator: quicker than a command, for which a process has to begin."""
        if not self.standalone.token:
            assert self.standalone.log_in(PASSWORD) == 201
        status, answer = self.standalone.ask(method, path, body)
        assert 200 <= status < 300, f"{method} {path}: {status} {answer}"
        return answer


@pytest.fixture(scope="session")
def has_browser() -> None:
    """Whoever asks for it is left out where there is none."""
    if CHROMIUM is None:
        if os.environ.get(REQUIRED):
            pytest.fail("there is no Chromium, and it is required")
        pytest.skip(f"{NO_BROWSER}: there is no Chromium on this machine")


@pytest.fixture(scope="module")
def browser(has_browser: None) -> Iterator[Browser]:
    """Chromium of the system. Not for longer than the tests of a module: it takes the event loop of the process."""
    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def built_pages() -> None:
    """The pages of these sources."""
    built = subprocess.run([sys.executable, "hatch_build.py"], cwd=ROOT, check=False, capture_output=True)
    if built.returncode and not os.environ.get(REQUIRED):
        pytest.skip(f"{NO_BROWSER}: the pages could not be built")
    assert built.returncode == 0, built.stderr


@pytest.fixture(scope="module")
def deployment(tmp_path_factory: pytest.TempPathFactory, built_pages: None) -> Iterator[Deployment]:
    """One for all tests."""
    folder = tmp_path_factory.mktemp("browser")
    variables = {
        "TRADEWIND_ADMIN_PASSWORD": PASSWORD,
        "TRADEWIND__CORE__DAGS_ARE_PAUSED_AT_CREATION": "False",
        "TRADEWIND__CORE__TEST_CONNECTION": "Enabled",
        "BROWSER_GATE": str(folder / "gate"),
    }
    dags = Path(shutil.copytree(Path(__file__).with_name("dags"), folder / "dags"))
    with standing(folder / "home", free_port(), dags_folder=dags, variables=variables) as standalone:
        made = Deployment(standalone, folder / "gate", dags)
        vera = {"username": "vera", "first_name": "Vera", "last_name": "Viewer", "email": "vera@example.com"}
        made.ask("POST", "/auth/users", {**vera, "roles": ["Viewer"], "password": PASSWORD})
        yield made


@pytest.fixture(scope="module")
def known(browser: Browser, deployment: Deployment) -> StorageState:
    """What the browser of an administrator remembers who has logged in."""
    context = browser.new_context(base_url=deployment.url)
    context.set_default_timeout(PATIENCE_MS)
    log_in(context.new_page(), "admin")
    remembered = context.storage_state()
    context.close()
    return remembered


@pytest.fixture
def page(browser: Browser, deployment: Deployment, known: StorageState) -> Iterator[Page]:
    """An administrator's, at the list of DAGs; nothing goes wrong in it that a person would not see."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, base_url=deployment.url, storage_state=known)
    context.set_default_timeout(PATIENCE_MS)
    page = context.new_page()
    problems: list[str] = []

    def note(message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            problems.append(message.text)

    page.on("console", note)
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto("/dags")
    page.get_by_role("heading", name="DAGs").wait_for()
    yield page
    context.close()
    assert problems == []


def log_in(page: Page, name: str) -> None:
    """As a person does."""
    page.goto("/dags")
    page.get_by_label("Name").fill(name)
    page.get_by_label("Password").fill(PASSWORD)
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("heading", name="DAGs").wait_for()
