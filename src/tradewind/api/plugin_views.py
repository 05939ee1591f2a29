"""What plugins add to the pages: links, pages in frames, and parts that run in ours. And what they would like to add
that is not shown, each with the reason: nothing is left out without a word.

Values only, but for a look whether files are there. See docs/decisions/0017-plugins-in-the-pages.md.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Final

from tradewind.api.plugin_sources import Plugin
from tradewind.api.written_values import AsWritten
from tradewind.model.web_address import is_picture_itself, origin_of

FILES: Final = "static"
"""In the plugins folder: what browsers may load."""
SERVED_AT: Final = "/ui/plugin_files/"
_ROUTE: Final = re.compile(r"[A-Za-z0-9_.-]{1,100}")
_PLACEHOLDER: Final = re.compile(r"\{(DAG_ID|RUN_ID|TASK_ID|MAP_INDEX)\}")
KNOWN_AT: Final[Mapping[str, frozenset[str]]] = {
    "nav": frozenset(),
    "base": frozenset(),
    "dashboard": frozenset(),
    "dag": frozenset({"DAG_ID"}),
    "dag_run": frozenset({"DAG_ID", "RUN_ID"}),
    "task": frozenset({"DAG_ID", "TASK_ID"}),
    "task_instance": frozenset({"DAG_ID", "RUN_ID", "TASK_ID", "MAP_INDEX"}),
}
"""By destination: what an address may ask for."""
_NOT_RUN: Final = "Tradewind runs no code of plugins in its web server: "
_NEVER_SHOWN: Final[Mapping[str, str]] = {
    "fastapi_apps": f"{_NOT_RUN}let the application run as a service of its own, and link to it by an external view.",
    "fastapi_root_middlewares": f"{_NOT_RUN}let a proxy before it do what the middleware does.",
    "flask_blueprints": "It needs Flask: let it run as a service of its own, and link to it by an external view.",
    "appbuilder_views": "Views of Airflow 2 need Flask: make an external view of it.",
    "appbuilder_menu_items": "Links of Airflow 2: make an external view of it, with the same name and href.",
    "admin_views": "Views of Airflow 1 are not known any more: make an external view of it.",
    "menu_links": "Links of Airflow 1 are not known any more: make an external view of it.",
}


@dataclass(frozen=True, slots=True)
class View:
    """Something that the pages show."""

    plugin: str
    name: str
    kind: str
    """`link`, `frame`, or `react`: a part that runs in the page."""
    href: str
    """With placeholders; of a part that runs in the page, the file to load."""
    destination: str
    route: str | None
    category: str | None
    is_top_level: bool
    icon: str | None
    icon_dark_mode: str | None


@dataclass(frozen=True, slots=True)
class NotShown:
    """Something that they do not, or not as it was meant."""

    plugin: str
    source: str
    part: str
    reason: str


@dataclass(frozen=True, slots=True)
class PluginViews:
    """All of it."""

    views: Sequence[View] = ()
    not_shown: Sequence[NotShown] = ()
    frame_origins: frozenset[str] = field(default_factory=frozenset)
    """Other servers whose pages are shown in frames."""
    icon_origins: frozenset[str] = field(default_factory=frozenset)


class _Refused(Exception):
    """Why a view is not shown."""


@dataclass(slots=True)
class _Gathering:
    """What was found so far."""

    files: Path
    own_origin: str | None
    views: list[View] = field(default_factory=list)
    not_shown: list[NotShown] = field(default_factory=list)

    def refuse(self, plugin: Plugin, part: str, reason: str) -> None:
        self.not_shown.append(NotShown(plugin.name, plugin.source, part, reason))


def views_of(plugins: Sequence[Plugin], folder: Path, base_url: str = "") -> PluginViews:
    """What these plugins add. `folder`: that of plugins; `base_url`: where people find this server, if known."""
    found = _Gathering((folder / FILES).resolve(), _origin_or_none(base_url))
    served = [prefix for plugin in plugins for prefix in _prefixes(plugin)]
    for plugin in plugins:
        for attribute, what in (("external_views", "external view"), ("react_apps", "React app")):
            for given in plugin.lists.get(attribute, ()):
                part = f"{what} {_name(given)}"
                try:
                    view = _view(found, plugin, given, attribute == "react_apps", served)
                    _check_route(found.views, view)
                except _Refused as refusal:
                    found.refuse(plugin, part, str(refusal))
                else:
                    found.views.append(view)
        for attribute, reason in _NEVER_SHOWN.items():
            for given in plugin.lists.get(attribute, ()):
                found.refuse(plugin, f"{attribute} {_name(given)}", reason)
    icons = [icon for view in found.views for icon in (view.icon, view.icon_dark_mode) if icon]
    return PluginViews(
        tuple(found.views),
        tuple(found.not_shown),
        frozenset(filter(None, (origin_of(view.href) for view in found.views if view.kind == "frame"))),
        frozenset(filter(None, (origin_of(icon) for icon in icons if not is_picture_itself(icon)))),
    )


def _view(found: _Gathering, plugin: Plugin, given: object, is_react: bool, served: Sequence[str]) -> View:
    if not isinstance(given, dict):
        raise _Refused(f"It is worked out when the plugin is imported ({given}); {_WRITE_OUT}")
    destination = _text(given, "destination", "nav")
    if destination not in KNOWN_AT:
        raise _Refused(f"There is no destination {destination!r}; there are {', '.join(KNOWN_AT)}.")
    route = _route(given)
    address = _text(given, "bundle_url" if is_react else "href")
    if is_react:
        if route is None and destination not in ("base", "dashboard"):
            raise _Refused("It has no url_route, which is the address of its page.")
        kind, href = "react", _found_file(found.files, address, "bundle_url")
    else:
        kind = "link" if route is None else "frame"
        href = _href(found, address, destination, kind, served)
    return View(
        plugin=plugin.name,
        name=_text(given, "name"),
        kind=kind,
        href=href,
        destination=destination,
        route=route,
        category=_text(given, "category", "") or None,
        is_top_level=given.get("nav_top_level") is True,
        icon=_icon(found, plugin, given, "icon"),
        icon_dark_mode=_icon(found, plugin, given, "icon_dark_mode"),
    )


_WRITE_OUT: Final = "the server only reads plugins: write it out as a text in the file of the plugin."


def _text(given: Mapping[str, object], key: str, default: str | None = None) -> str:
    value = given.get(key)
    if isinstance(value, AsWritten):
        raise _Refused(f"Its {key} is worked out when the plugin is imported ({value}); {_WRITE_OUT}")
    if value is None and default is not None:
        return default
    if not isinstance(value, str) or (not value.strip() and default is None):
        raise _Refused(f"It has no {key}." if value is None or value == "" else f"Its {key} is no text.")
    return value.strip()


def _route(given: Mapping[str, object]) -> str | None:
    route = _text(given, "url_route", "").removeprefix("/")
    if route and not _ROUTE.fullmatch(route):
        raise _Refused("Its url_route has other characters than letters, digits, dots, - and _.")
    return route or None


def _href(found: _Gathering, address: str, destination: str, kind: str, served: Sequence[str]) -> str:
    # Filled in, they are one word each; before, they would look like part of a name.
    plain = _PLACEHOLDER.sub("x", address)
    try:
        origin = origin_of(plain)
        if origin != origin_of(_PLACEHOLDER.sub("y", address)):
            raise _Refused("A placeholder stands where its href names the server; it may stand behind that only.")
    except ValueError as error:
        raise _Refused(f"Its href {error}.") from error
    for name in _PLACEHOLDER.findall(address):
        if name not in KNOWN_AT[destination]:
            raise _Refused(f"Its href asks for {{{name}}}, which is not known at the destination {destination!r}.")
    if origin is not None and origin != found.own_origin:
        return address
    path = "/" + (address if origin is None else "".join(address.split("/", 3)[3:])).lstrip("/")
    if any(path == prefix or path.startswith(f"{prefix}/") for prefix in served):
        raise _Refused(f"Its href leads to a fastapi_app of a plugin. {_NEVER_SHOWN['fastapi_apps']}")
    if kind == "frame":
        raise _Refused("Pages of this server are not shown in frames. Without url_route, it is a link.")
    return path


def _found_file(files: Path, address: str, key: str) -> str:
    """Where browsers load a file from that a plugin names by a path on this server."""
    try:
        origin = origin_of(address)
    except ValueError as error:
        raise _Refused(f"Its {key} {error}.") from error
    if origin is not None:
        raise _Refused(
            f"Its {key} is on another server, whose scripts could do whatever people may who look at the pages. Put a"
            f" copy into $PLUGINS_FOLDER/{FILES}, and name its path."
        )
    path = PurePosixPath(address.split("?", 1)[0].split("#", 1)[0].lstrip("/"))
    if file_at(files, str(path)) is None:
        raise _Refused(f"There is no file $PLUGINS_FOLDER/{FILES}/{path}. {_NOT_RUN}put it there to have it served.")
    return f"{SERVED_AT}{path}"


def file_at(files: Path, path: str) -> Path | None:
    """The file that browsers may have under that path."""
    files = files.resolve()
    file = (files / path).resolve()
    return file if file.is_relative_to(files) and file.is_file() else None


def _icon(found: _Gathering, plugin: Plugin, given: Mapping[str, object], key: str) -> str | None:
    """A view is worth showing without it."""
    try:
        icon = _text(given, key, "")
        if not icon or is_picture_itself(icon):
            return icon or None
        return _found_file(found.files, icon, key) if origin_of(icon) is None else icon
    except (_Refused, ValueError) as error:
        reason = str(error) if isinstance(error, _Refused) else f"Its {key} {error}."
        found.refuse(plugin, f"{key} of {_name(given)}", reason)
        return None


def _check_route(views: Sequence[View], view: View) -> None:
    """Pages around DAGs have their addresses together; of each kind of page about a DAG, the tabs."""
    for other in views:
        if view.route is not None and other.route == view.route and _place(other) == _place(view):
            raise _Refused(f"{other.name!r} of the plugin {other.plugin!r} has the same url_route.")


def _place(view: View) -> str:
    return view.destination if KNOWN_AT[view.destination] else "nav"


def _prefixes(plugin: Plugin) -> Iterator[str]:
    for given in plugin.lists.get("fastapi_apps", ()):
        prefix = given.get("url_prefix") if isinstance(given, dict) else None
        if isinstance(prefix, str) and not isinstance(prefix, AsWritten) and prefix.strip("/"):
            yield f"/{prefix.strip('/')}"


def _name(given: object) -> str:
    name = given.get("name") if isinstance(given, dict) else given
    return repr(name) if isinstance(name, str) and not isinstance(name, AsWritten) else f"({name or 'without a name'})"


def _origin_or_none(base_url: str) -> str | None:
    try:
        return origin_of(base_url) if base_url else None
    except ValueError:
        return None
