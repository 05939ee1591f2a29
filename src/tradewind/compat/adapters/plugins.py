"""Plugins: the class that people subclass to add macros, timetables, links, listeners and parts of the UI."""

from typing import Any, ClassVar, TypedDict


class AirflowPluginException(Exception):
    """A plugin that cannot be used."""


class AirflowPluginSource:
    """Where a plugin comes from."""

    def __str__(self) -> str:
        raise NotImplementedError

    def __html__(self) -> str:
        raise NotImplementedError


class FastAPIAppDict(TypedDict, total=False):
    """A web application under a path of the API server."""

    app: Any
    url_prefix: str
    name: str


class ReactAppDict(TypedDict, total=False):
    """A page of the UI."""

    name: str
    bundle_url: str
    destination: str
    url_route: str
    category: str
    icon: str


class AirflowPlugin:
    """Subclass it, give it a name, and fill the lists."""

    name: str | None = None
    source: AirflowPluginSource | None = None
    macros: ClassVar[list[Any]] = []
    admin_views: ClassVar[list[Any]] = []
    flask_blueprints: ClassVar[list[Any]] = []
    fastapi_apps: ClassVar[list[Any]] = []
    fastapi_root_middlewares: ClassVar[list[Any]] = []
    external_views: ClassVar[list[Any]] = []
    react_apps: ClassVar[list[Any]] = []
    menu_links: ClassVar[list[Any]] = []
    appbuilder_views: ClassVar[list[Any]] = []
    appbuilder_menu_items: ClassVar[list[Any]] = []
    global_operator_extra_links: ClassVar[list[Any]] = []
    operator_extra_links: ClassVar[list[Any]] = []
    timetables: ClassVar[list[type[Any]]] = []
    partition_mappers: ClassVar[list[type[Any]]] = []
    windows: ClassVar[list[type[Any]]] = []
    deadline_references: ClassVar[list[type[Any]]] = []
    listeners: ClassVar[list[Any]] = []
    hook_lineage_readers: ClassVar[list[type[Any]]] = []
    priority_weight_strategies: ClassVar[list[type[Any]]] = []

    @classmethod
    def validate(cls) -> None:
        """Raise if the plugin has no name."""
        if not cls.name:
            raise AirflowPluginException(f"the plugin {cls.__name__} needs a name")

    @classmethod
    def on_load(cls, *args: Any, **kwargs: Any) -> None:
        """Called when the plugin was loaded."""
