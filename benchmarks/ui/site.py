"""A web server with much to show, and a browser that looks at it."""

import os
import shutil
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Final

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from benchmarks.harness import STALLED_AFTER_S, World
from benchmarks.services import COMMAND, await_web_server
from tests.acceptance.standalone import free_port

CHROMIUM: Final = shutil.which("chromium") or shutil.which("chromium-browser")
_WIDE: Final = {"width": 1280, "height": 800}


@dataclass(frozen=True, slots=True)
class Site:
    """Where the pages are, and who looks at them."""

    world: World
    browser: Browser
    url: str

    @contextmanager
    def page(self, script: str = "") -> Iterator[Page]:
        """A browser that was never here before, logged in; `script` runs in each page before all others."""
        context = self._context()
        try:
            page = context.new_page()
            page.goto("/auth/login")  # where everybody is an administrator, this leaves a cookie and no more
            if script:
                context.add_init_script(script)
            yield page
        finally:
            context.close()

    def _context(self) -> BrowserContext:
        context = self.browser.new_context(viewport=_WIDE, base_url=self.url)  # type: ignore[arg-type]
        context.set_default_timeout(STALLED_AFTER_S * 1000)
        return context


@contextmanager
def standing(world: World) -> Iterator[Site]:
    """For as long as the block runs."""
    port = free_port()
    environ = {
        **os.environ,
        "TRADEWIND_HOME": str(world.settings.home),
        "TRADEWIND__DATABASE__SQL_ALCHEMY_CONN": world.settings.database.sql_alchemy_conn,
        "TRADEWIND__CORE__SIMPLE_AUTH_MANAGER_ALL_ADMINS": "True",
    }
    server = subprocess.Popen([*COMMAND, "api-server", "--port", str(port)], env=environ)
    try:
        url = f"http://127.0.0.1:{port}"
        await_web_server(url, server)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            yield Site(world, browser, url)
            browser.close()
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(10)
