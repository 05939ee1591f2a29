"""What plugins add to the pages, for everybody who has logged in; what is not shown, for who looks after plugins."""

from typing import Final, Literal

from fastapi import HTTPException
from fastapi.responses import FileResponse, Response
from pydantic import BaseModel

from tradewind.api.auth.access import Action, Need, Resource
from tradewind.api.operation import Operations
from tradewind.api.plugin_views import FILES, SERVED_AT, file_at
from tradewind.api.services import Given

operations = Operations("Pages", prefix="/ui")

_EVERYBODY: Final = Need(Resource.OWN_ACCOUNT, Action.READ)
_KINDS: Final = {
    **dict.fromkeys((".js", ".mjs", ".cjs"), "text/javascript"),
    ".css": "text/css",
    ".json": "application/json",
    ".map": "application/json",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".jpg": "image/jpeg",
    ".jpeg": "image/jpeg",
    ".gif": "image/gif",
    ".webp": "image/webp",
    ".woff2": "font/woff2",
}
"""No pages: they would run as ours do, and be taken for ours."""


class PluginViewResponse(BaseModel):
    """A link, a page of another server in a frame, or a part that runs in the page."""

    plugin: str
    name: str
    kind: Literal["link", "frame", "react"]
    href: str
    """With `{DAG_ID}` and the like to be filled in; of a part that runs in the page, its file."""
    destination: Literal["nav", "dag", "dag_run", "task", "task_instance", "base", "dashboard"]
    route: str | None
    """Its address: `/plugin/...`."""
    category: str | None
    is_top_level: bool
    icon: str | None
    icon_dark_mode: str | None


class PluginViewsResponse(BaseModel):
    """In the order of the plugins."""

    views: list[PluginViewResponse]


class NotShownResponse(BaseModel):
    """A part of a plugin that is not there, and why."""

    plugin: str
    source: str
    part: str
    reason: str


class NotShownCollectionResponse(BaseModel):
    """All of them."""

    not_shown: list[NotShownResponse]


@operations.add("GET", "/plugin_views", operation_id="get_plugin_views", need=_EVERYBODY)
def get_plugin_views(services: Given) -> PluginViewsResponse:
    """What plugins add to the pages."""
    found = services.plugin_views().views
    return PluginViewsResponse(views=[PluginViewResponse.model_validate(each, from_attributes=True) for each in found])


@operations.add("GET", "/plugin_views/not_shown", operation_id="get_not_shown", need=Need(Resource.PLUGIN, Action.READ))
def get_not_shown(services: Given) -> NotShownCollectionResponse:
    """What plugins bring that the pages do not show, and why."""
    found = services.plugin_views().not_shown
    return NotShownCollectionResponse(
        not_shown=[NotShownResponse.model_validate(each, from_attributes=True) for each in found]
    )


@operations.add("GET", f"{SERVED_AT.removeprefix('/ui')}{{path:path}}", operation_id="get_plugin_file", need=_EVERYBODY)
def get_plugin_file(path: str, services: Given) -> Response:
    """A script, a style sheet, a picture or a font of the folder `static` of the plugins folder."""
    file = file_at(services.settings.plugins_folder / FILES, path)
    kind = None if file is None else _KINDS.get(file.suffix.lower())
    if file is None or kind is None:
        raise HTTPException(404, "There is no such file")
    return FileResponse(file, media_type=kind, headers={"Cache-Control": "no-cache"})
