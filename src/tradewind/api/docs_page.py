"""A page that lists all operations. It needs no script and nothing from elsewhere."""

import itertools
from collections.abc import Iterable, Iterator
from functools import cache
from html import escape

from fastapi import APIRouter, FastAPI, HTTPException, Request
from fastapi.responses import HTMLResponse, RedirectResponse

from tradewind.api.operation import Operations
from tradewind.api.reference import Described, described
from tradewind.api.services import Services

PATH = "/docs"
OTHER_PATH = "/redoc"
"""Where Airflow has it a second time, in another dress."""


def add_docs_page(app: FastAPI, operations: Iterable[Operations]) -> None:
    """Under `/docs`, unless `[api] enable_swagger_ui` says otherwise. Made when somebody first asks for it."""
    groups = tuple(operations)
    router = APIRouter()

    @cache
    def page() -> str:
        return "\n".join(_page(app.version, described(app.openapi(), groups)))

    @router.get(PATH, include_in_schema=False)
    def show_docs(request: Request) -> HTMLResponse:
        _refuse_if_hidden(request)
        return HTMLResponse(page())

    @router.get(OTHER_PATH, include_in_schema=False)
    def lead_to_docs(request: Request) -> RedirectResponse:
        _refuse_if_hidden(request)
        return RedirectResponse(PATH)

    app.include_router(router)


def _refuse_if_hidden(request: Request) -> None:
    """Raises `HTTPException`. To have no such route would show a page of the application instead."""
    services: Services | None = request.app.state.services
    if services is not None and not services.settings.api.enable_swagger_ui:
        raise HTTPException(404, "[api] enable_swagger_ui hides this page")


def _page(version: str, found: Iterable[Described]) -> Iterator[str]:
    yield '<!doctype html><html lang="en"><head><meta charset="utf-8">'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
    yield "<title>Tradewind API</title></head><body>"
    yield f"<h1>Tradewind API {escape(version)}</h1>"
    yield "<p>It is the REST API of Airflow 3, and some more: clients of Airflow work with it unchanged."
    yield ' Tools read <a href="/openapi.json">/openapi.json</a>, the OpenAPI document.'
    yield " A star marks what must be given.</p>"
    for tag, members in itertools.groupby(found, lambda each: each.tag):
        yield f"<h2>{escape(tag)}</h2><dl>"
        for each in members:
            yield from _entry(each)
        yield "</dl>"
    yield "</body></html>"


def _entry(each: Described) -> Iterator[str]:
    yield f"<dt><code>{each.method} {escape(each.path)}</code></dt>"
    need = "anybody" if each.need is None else f"who may {each.need.action.value} this {each.need.resource.value}"
    parts = [each.text, f"For {need}."]
    if each.parameters:
        parts.append(f"Parameters: {', '.join(each.parameters)}.")
    if each.body:
        parts.append(f"Body: {each.body}.")
    parts.append(f"Answers: {'; '.join(each.answers)}.")
    yield f"<dd>{'<br>'.join(escape(part) for part in parts if part)}</dd>"
