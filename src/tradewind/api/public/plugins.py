"""Plugins, as far as their sources tell: the server does not import them, see `plugin_sources.py`."""

from collections.abc import Iterable
from typing import Annotated, Any, Final, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from tradewind.api.auth.access import Action, Need, Resource
from tradewind.api.operation import Operations
from tradewind.api.paging import SIZES, USUAL, Limit, Offset
from tradewind.api.plugin_sources import BrokenFile, Plugin, find_plugins
from tradewind.api.services import Given

operations = Operations("Plugin")

_READ: Final = Need(Resource.PLUGIN, Action.READ)
_View = Literal["nav", "dag", "dag_run", "task", "task_instance", "base"]
_App = Literal["nav", "dag", "dag_run", "task", "task_instance", "base", "dashboard"]


class _Part(BaseModel):
    """Something that a plugin brings, described by a dictionary."""

    model_config = ConfigDict(extra="allow")


class FastAPIAppResponse(_Part):
    """A web application."""

    app: str
    url_prefix: str
    name: str


class FastAPIRootMiddlewareResponse(_Part):
    """What stands around all web applications."""

    middleware: str
    name: str


class _Shown(_Part):
    name: str
    icon: str | None = None
    icon_dark_mode: str | None = None
    url_route: str | None = None
    category: str | None = None
    nav_top_level: bool | None = False


class ExternalViewResponse(_Shown):
    """A page elsewhere."""

    href: str
    destination: _View = "nav"


class ReactAppResponse(_Shown):
    """A part of the web UI."""

    bundle_url: str
    destination: _App = "nav"


class AppBuilderViewResponse(_Part):
    """A page of the web UI of Airflow 2."""

    name: str | None = None
    category: str | None = None
    view: str | None = None
    label: str | None = None


class AppBuilderMenuItemResponse(_Part):
    """A link of the web UI of Airflow 2."""

    name: str
    href: str
    category: str | None = None


class PluginResponse(BaseModel):
    """A plugin, and what it brings."""

    name: str
    macros: list[str]
    flask_blueprints: list[str]
    fastapi_apps: list[FastAPIAppResponse]
    fastapi_root_middlewares: list[FastAPIRootMiddlewareResponse]
    external_views: list[ExternalViewResponse]
    react_apps: list[ReactAppResponse]
    appbuilder_views: list[AppBuilderViewResponse]
    appbuilder_menu_items: Annotated[list[AppBuilderMenuItemResponse], Field(json_schema_extra={"deprecated": True})]
    global_operator_extra_links: list[str]
    operator_extra_links: list[str]
    source: str
    listeners: list[str]
    timetables: list[str]


class PluginCollectionResponse(BaseModel):
    """A page of plugins."""

    plugins: list[PluginResponse]
    total_entries: int


class PluginImportErrorResponse(BaseModel):
    """A file of plugins that cannot be read."""

    source: str
    error: str


class PluginImportErrorCollectionResponse(BaseModel):
    """All of them."""

    import_errors: list[PluginImportErrorResponse]
    total_entries: int


_PARTS: Final[dict[str, type[BaseModel]]] = {
    "fastapi_apps": FastAPIAppResponse,
    "fastapi_root_middlewares": FastAPIRootMiddlewareResponse,
    "external_views": ExternalViewResponse,
    "react_apps": ReactAppResponse,
    "appbuilder_views": AppBuilderViewResponse,
    "appbuilder_menu_items": AppBuilderMenuItemResponse,
}
_TEXTS: Final = (
    *("macros", "flask_blueprints", "listeners", "timetables"),
    *("global_operator_extra_links", "operator_extra_links"),
)


@operations.add("GET", "/plugins", operation_id="get_plugins", need=_READ)
def get_plugins(services: Given, limit: Limit = USUAL, offset: Offset = 0) -> PluginCollectionResponse:
    """All of them, those of installed packages first."""
    found = [each for each in find_plugins(services.settings.plugins_folder) if isinstance(each, Plugin)]
    page = found[offset : offset + SIZES.limited(limit)]
    return PluginCollectionResponse(plugins=[_shown(each) for each in page], total_entries=len(found))


@operations.add("GET", "/plugins/importErrors", operation_id="import_errors", need=_READ)
def get_import_errors(services: Given) -> PluginImportErrorCollectionResponse:
    """Files of plugins that cannot be read."""
    errors = [
        PluginImportErrorResponse(source=each.source, error=each.error)
        for each in find_plugins(services.settings.plugins_folder)
        if isinstance(each, BrokenFile)
    ]
    return PluginImportErrorCollectionResponse(import_errors=errors, total_entries=len(errors))


def _shown(plugin: Plugin) -> PluginResponse:
    parts: dict[str, Any] = {name: _described(kind, plugin.lists.get(name, ())) for name, kind in _PARTS.items()}
    texts = {name: [str(each) for each in plugin.lists.get(name, ())] for name in _TEXTS}
    return PluginResponse.model_validate({"name": plugin.name, "source": plugin.source, **parts, **texts})


PartKind = TypeVar("PartKind", bound=BaseModel)


def _described(kind: type[PartKind], written: Iterable[object]) -> list[PartKind]:
    """Those whose description is complete."""
    found = []
    for each in written:
        try:
            found.append(kind.model_validate(each))
        except ValidationError:
            continue
    return found
