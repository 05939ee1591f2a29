"""`tradewind plugins`: what plugins bring."""

import inspect
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from tradewind.cli.deferred import Deferred
from tradewind.cli.deployment import load_settings
from tradewind.cli.options import OutputFormat
from tradewind.cli.output import Output, write_rows

if TYPE_CHECKING:
    from tradewind import compat
    from tradewind.compat import plugin_loading
else:
    compat = Deferred("tradewind.compat")
    plugin_loading = Deferred("tradewind.compat.plugin_loading")

_LISTS: Final = (
    "macros",
    "fastapi_apps",
    "fastapi_root_middlewares",
    "external_views",
    "react_apps",
    "flask_blueprints",
    "appbuilder_views",
    "appbuilder_menu_items",
    "global_operator_extra_links",
    "operator_extra_links",
    "timetables",
    "listeners",
    "priority_weight_strategies",
    "hook_lineage_readers",
)


def command(output: OutputFormat = Output.TABLE) -> None:
    """Load the plugins, as every process that runs tasks does, and tell what they bring."""
    folder = load_settings().plugins_folder
    compat.install()
    plugins = plugin_loading.load_plugins(str(folder))
    rows = [{"name": each.name, "source": _source(each)} | _contents(each) for each in plugins]
    used = [name for name in _LISTS if any(row[name] for row in rows)]
    if output is Output.TABLE:  # most lists of most plugins are empty
        rows = [{key: row[key] for key in ("name", "source", *used)} for row in rows]
    write_rows(rows, output, when_empty="there is no plugin")


def _contents(plugin: Any) -> dict[str, object]:
    return {name: _names(getattr(plugin, name, ())) for name in _LISTS}


def _names(things: Iterable[Any]) -> str:
    return ", ".join(_name(thing) for thing in things)


def _name(thing: Any) -> str:
    if isinstance(thing, dict):
        return str(thing.get("name", thing))
    return str(getattr(thing, "__name__", None) or type(thing).__name__)


def _source(plugin: type[Any]) -> str:
    try:
        return inspect.getfile(plugin)
    except (TypeError, OSError):
        return plugin.__module__
