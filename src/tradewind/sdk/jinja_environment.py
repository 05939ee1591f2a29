"""The Jinja environments in which templates are rendered: sandboxed, with filters for dates."""

from __future__ import annotations

import datetime as dt
import logging
from collections import ChainMap
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

import jinja2
import jinja2.nativetypes
import jinja2.sandbox

from tradewind.sdk.context import whole

if TYPE_CHECKING:
    from tradewind.sdk.dags import DAG

log = logging.getLogger(__name__)


def ds_filter(value: dt.date | dt.time | None) -> str | None:
    """`2026-01-31`."""
    return None if value is None else value.strftime("%Y-%m-%d")


def ds_nodash_filter(value: dt.date | dt.time | None) -> str | None:
    """`20260131`."""
    return None if value is None else value.strftime("%Y%m%d")


def ts_filter(value: dt.date | dt.time | None) -> str | None:
    """`2026-01-31T00:00:00+00:00`."""
    return None if value is None else value.isoformat()


def ts_nodash_filter(value: dt.date | dt.time | None) -> str | None:
    """`20260131T000000`."""
    return None if value is None else value.strftime("%Y%m%dT%H%M%S")


def ts_nodash_with_tz_filter(value: dt.date | dt.time | None) -> str | None:
    """`20260131T000000+0000`."""
    return None if value is None else value.isoformat().replace("-", "").replace(":", "")


FILTERS: Final[dict[str, Callable[..., Any]]] = {
    "ds": ds_filter,
    "ds_nodash": ds_nodash_filter,
    "ts": ts_filter,
    "ts_nodash": ts_nodash_filter,
    "ts_nodash_with_tz": ts_nodash_with_tz_filter,
}


class SandboxedEnvironment(jinja2.sandbox.SandboxedEnvironment):
    """Renders to text. Templates reach what DAG files use, and not what Python is made of."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.filters.update(FILTERS)

    def is_safe_attribute(self, obj: Any, attr: str, value: Any) -> bool:
        """Names with one underscore are allowed: they are private by convention only, and DAG files do use them."""
        return not attr.startswith("__") and not jinja2.sandbox.is_internal_attribute(obj, attr)


class NativeEnvironment(SandboxedEnvironment, jinja2.nativetypes.NativeEnvironment):
    """Renders to Python values: `{{ [1, 2] }}` becomes a list."""


def create_template_env(
    *,
    native: bool = False,
    searchpath: Iterable[str] | None = None,
    template_undefined: type[jinja2.Undefined] = jinja2.StrictUndefined,
    jinja_environment_kwargs: Mapping[str, Any] | None = None,
    user_defined_macros: Mapping[str, Any] | None = None,
    user_defined_filters: Mapping[str, Callable[..., Any]] | None = None,
) -> jinja2.Environment:
    """The environment of a DAG. `jinja_environment_kwargs` win over all else that is set here."""
    options: dict[str, Any] = {"undefined": template_undefined, "extensions": ["jinja2.ext.do"], "cache_size": 0}
    folders = list(searchpath or ())
    if folders:
        options["loader"] = jinja2.FileSystemLoader(folders)
    options.update(jinja_environment_kwargs or {})
    environment = NativeEnvironment(**options) if native else SandboxedEnvironment(**options)
    environment.globals.update(user_defined_macros or {})
    environment.filters.update(user_defined_filters or {})
    return environment


def template_env_of(dag: DAG, *, force_sandboxed: bool = False) -> jinja2.Environment:
    """The environment of a DAG, as its arguments say. Files are looked for beside the DAG file first."""
    searched = dag.template_searchpath or ()
    folders = [searched] if isinstance(searched, str) else list(searched)
    return create_template_env(
        native=dag.render_template_as_native_obj and not force_sandboxed,
        searchpath=[dag.folder, *map(str, folders)],
        template_undefined=dag.template_undefined or jinja2.StrictUndefined,
        jinja_environment_kwargs=dag.jinja_environment_kwargs,
        user_defined_macros=dag.user_defined_macros,
        user_defined_filters=dag.user_defined_filters,
    )


def as_native(environment: jinja2.Environment) -> jinja2.Environment:
    """The same environment, rendering to Python values."""
    if isinstance(environment, jinja2.nativetypes.NativeEnvironment):
        return environment
    # An overlay shares loader, filters and globals. Its class is all that decides what it renders to.
    overlay = environment.overlay()
    overlay.__class__ = NativeEnvironment
    return overlay


def render(template: jinja2.Template, context: Mapping[str, Any], *, native: bool = False) -> Any:
    """Render without copying the context into a dict first: its values may be costly, and are looked up when used."""
    environment = template.environment
    values: Any = ChainMap(whole(context), template.globals)  # type: ignore[arg-type]
    try:
        nodes = template.root_render_func(
            environment.context_class(environment, values, template.name, template.blocks)
        )
        if native or isinstance(environment, jinja2.nativetypes.NativeEnvironment):
            return jinja2.nativetypes.native_concat(nodes)
        return "".join(nodes)
    except Exception:
        # The traceback then points into the template instead of into compiled code.
        environment.handle_exception()


def render_template(template: jinja2.Template, context: Mapping[str, Any], *, native: bool) -> Any:
    """Render a template, to text or to a Python value."""
    return render(template, context, native=native)


def render_template_to_string(template: jinja2.Template, context: Mapping[str, Any]) -> str:
    """Render a template to text."""
    return str(render(template, context))


def render_template_as_native(template: jinja2.Template, context: Mapping[str, Any]) -> Any:
    """Render a template to the Python value that it spells."""
    return render(template, context, native=True)


def source_of(environment: jinja2.Environment, name: str, used_in: str) -> str | None:
    """The text of a template file; `None`, and a line in the log, if it cannot be read."""
    if environment.loader is None:
        log.error("%s names the file %r, but outside a DAG there is no folder to look in", used_in, name)
        return None
    try:
        return environment.loader.get_source(environment, name)[0]
    except (jinja2.TemplateError, OSError, UnicodeDecodeError):
        log.exception("%s names the file %r, which cannot be read", used_in, name)
        return None
