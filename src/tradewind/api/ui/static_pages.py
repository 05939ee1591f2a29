"""Serves the web application: files that were built before, and one page for every address that is no route."""

import mimetypes
from pathlib import Path
from typing import Final

from fastapi import FastAPI, HTTPException, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import FileResponse, HTMLResponse, RedirectResponse, Response
from starlette.types import Receive, Scope, Send

from tradewind.api.auth.browser import LOGIN, query_of
from tradewind.api.auth.principal import COOKIE
from tradewind.api.services import Services
from tradewind.api.ui.dressed_page import dressed, policy

PAGES: Final = Path(__file__).with_name("pages")
"""Where `make ui`, or the build of the package, puts them."""
_FOR_EVER: Final = "public, max-age=31536000, immutable"
_ASK_FIRST: Final = "no-cache"
_FIRST: Final = "/"
_NOT_OURS: Final = ("/api/", "/auth/", "/ui/", "/execution/", "/static/")
_NOT_BUILT: Final = """<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Tradewind</title></head><body>
<h1>The pages are not built</h1>
<p>This is a copy of the sources. <code>make ui</code> builds the pages; <code>make run</code> does so too.</p>
<p>The API is there: see <a href="/docs">its operations</a>.</p></body></html>"""

mimetypes.add_type("text/javascript", ".js")


def add_pages(app: FastAPI, folder: Path = PAGES) -> None:
    """Files by their names; and what no route answers is a page of the application, which knows its own addresses."""

    @app.get("/static/{name}", include_in_schema=False)
    def get_static(name: str, request: Request) -> Response:
        """A file whose name changes with its content."""
        file = folder / "static" / name
        if not file.is_relative_to(folder / "static") or not file.is_file():
            raise HTTPException(404, "There is no such file")
        return _file(file, request.headers.get("accept-encoding", ""))

    @app.get("/icon.svg", include_in_schema=False)
    def get_icon() -> Response:
        if not (folder / "icon.svg").is_file():
            raise HTTPException(404, "There is no such file")
        return FileResponse(folder / "icon.svg", headers={"Cache-Control": _ASK_FIRST})

    @app.get("/theme.css", include_in_schema=False)
    def get_theme(request: Request) -> Response:
        """That of the deployment, for the page that names it."""
        services: Services | None = request.app.state.services
        css = "" if services is None else services.theme.css
        return Response(css, media_type="text/css", headers={"Cache-Control": _FOR_EVER if css else _ASK_FIRST})

    not_found = app.router.default

    async def serve(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and _is_page(request := Request(scope)):
            page = await run_in_threadpool(_page, folder / "index.html", request)
            await page(scope, receive, send)
        else:
            await not_found(scope, receive, send)

    app.router.default = serve


def _file(file: Path, accepted: str) -> Response:
    """As it was compressed when the pages were built, for those who can read that."""
    headers = {"Cache-Control": _FOR_EVER, "Vary": "Accept-Encoding"}
    compressed = file.with_name(f"{file.name}.gz")
    if "gzip" not in accepted or not compressed.is_file():
        return FileResponse(file, headers=headers)
    kind, _ = mimetypes.guess_type(file.name)
    return FileResponse(compressed, headers={**headers, "Content-Encoding": "gzip"}, media_type=kind)


def _is_page(request: Request) -> bool:
    if request.method not in ("GET", "HEAD"):
        return False
    path = request.url.path
    # Balancers and `curl` look at the first page to see whether there is a server, and ask for no kind of answer.
    return path == _FIRST or ("text/html" in request.headers.get("accept", "") and not path.startswith(_NOT_OURS))


def _page(index: Path, request: Request) -> Response:
    """The one page, whose script finds out what to show at this address."""
    if not index.is_file():
        return HTMLResponse(_NOT_BUILT, 503)
    if COOKIE not in request.cookies:
        # A page that is shown and then leaves for the login would ask for much that it does not get.
        address = request.url.path + (f"?{request.url.query}" if request.url.query else "")
        return RedirectResponse(LOGIN + query_of(address), 303)
    services: Services | None = getattr(request.app.state, "services", None)
    if services is None:
        return FileResponse(index, headers={"Cache-Control": _ASK_FIRST})
    # Before anything that the page asks for is answered: its stream begins with what has changed since.
    mark = 0 if services.live is None else services.live.ring.mark
    page = dressed(index.read_text(encoding="utf-8"), services.settings.api, services.theme, mark)
    headers = {"Cache-Control": _ASK_FIRST, "Content-Security-Policy": policy(services)}
    return HTMLResponse(page, headers=headers)
