"""Template fields: which attributes of an operator, notifier or trigger are templates, and rendering them.

Jinja itself is in `jinja_environment`, loaded when the first template is rendered: reading a DAG file needs none.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from tradewind.sdk.xcom_arg import ResolveMixin

if TYPE_CHECKING:
    import jinja2

    from tradewind.sdk.abstract_operator import AbstractOperator
    from tradewind.sdk.context import Context
    from tradewind.sdk.dags import DAG

_USUAL_MARKS: Final = ("{{", "{%", "{#")
_NUMBERS: Final = (bool, int, float)
_COLLECTIONS: Final = (list, tuple, set, frozenset)


@dataclass(frozen=True)
class LiteralValue(ResolveMixin):
    """A value that is no template, whatever it looks like."""

    value: Any

    def iter_references(self) -> Iterable[tuple[AbstractOperator, str]]:
        return ()

    def resolve(self, context: Context) -> Any:
        return self.value


def literal(value: Any) -> LiteralValue:
    """Keep a template field from being rendered: `bash_command=literal("echo {{ no template }}")`."""
    return LiteralValue(value)


class Templater:
    """Something with attributes that are templates, named in `template_fields`.

    A text that ends like one of `template_ext` is the name of a file that holds the template.
    """

    template_fields: Collection[str] = ()
    template_ext: Sequence[str] = ()

    def get_template_env(self, dag: DAG | None = None) -> jinja2.Environment:
        """The Jinja environment: that of the DAG, or one without files, macros and filters of anybody."""
        jinja = _jinja()
        dag = dag if dag is not None else self._own_dag()
        is_native = self._should_render_native(dag)
        environment: jinja2.Environment
        if dag is None:
            environment = jinja.SandboxedEnvironment(cache_size=0)
        else:
            environment = dag.get_template_env(force_sandboxed=not is_native)
        return jinja.as_native(environment) if is_native else environment

    def prepare_template(self) -> None:
        """A place for subclasses to change fields after their files were read and before they are rendered."""

    def resolve_template_files(self) -> None:
        """Put the content of files in place of their names."""
        endings = tuple(self.template_ext)
        if endings:
            for field in self.template_fields:
                content = getattr(self, field, None)
                if isinstance(content, str) and content.endswith(endings):
                    setattr(self, field, self._source_of(content, field))
                elif isinstance(content, list):
                    for index, item in enumerate(content):
                        if isinstance(item, str) and item.endswith(endings):
                            content[index] = self._source_of(item, field)
        self.prepare_template()

    def _source_of(self, name: str, field: str) -> str:
        """The text of a template file. Rendering complains about a missing file: the field may be no template."""
        source: str | None = _jinja().source_of(self.get_template_env(), name, f"{_name_of(self)}, field {field!r}")
        return name if source is None else source

    def render_template_fields(self, context: Context, jinja_env: jinja2.Environment | None = None) -> None:
        """Render all template fields, in place."""
        if all(hasattr(self, field) and is_empty(getattr(self, field)) for field in self.template_fields):
            return  # an environment costs more than most tasks do
        self.render_fields_besides(set(), context, jinja_env)

    def render_fields_besides(
        self, settled: set[int], context: Context, jinja_env: jinja2.Environment | None = None
    ) -> None:
        """Render all template fields, in place, but no value whose `id` is among the settled ones."""
        if jinja_env is None and self._needs_environment(settled):
            jinja_env = self.get_template_env(context.get("dag") if self._own_dag() is None else None)
        self._do_render_template_fields(self, self.template_fields, context, jinja_env, settled)

    def _needs_environment(self, settled: set[int]) -> bool:
        # A subclass with a way of its own may render more than the fields.
        way = type(self)._do_render_template_fields  # noqa: SLF001 - of this class
        return way is not Templater._do_render_template_fields or not all(
            self._is_settled(getattr(self, field, None), settled) for field in self.template_fields
        )

    def _do_render_template_fields(
        self,
        parent: Any,
        template_fields: Iterable[str],
        context: Context,
        jinja_env: jinja2.Environment | None,
        seen_oids: set[int],
    ) -> None:
        """Render fields of `parent`, which is this object or one inside of it. Subclasses override and call it.

        There is no environment if no field needs one.
        """
        for field in template_fields:
            if not hasattr(parent, field):
                raise AttributeError(
                    f"{type(parent).__name__} has no attribute {field!r}, which its template_fields name:"
                    " set it in __init__, or remove it from template_fields"
                )
            value = getattr(parent, field)
            if is_empty(value):
                continue
            try:
                if callable(value):
                    rendered = value(context=context, jinja_env=jinja_env)
                else:
                    rendered = self.render_template(value, context, jinja_env, seen_oids)
            except Exception as error:
                error.add_note(f"while rendering {_name_of(parent)}, field {field!r}: {_redacted(value)!r}")
                raise
            setattr(parent, field, rendered)

    def render_template(
        self,
        content: Any,
        context: Context,
        jinja_env: jinja2.Environment | None = None,
        seen_oids: set[int] | None = None,
    ) -> Any:
        """Render a text, and texts inside of collections and of objects that have template fields themselves."""
        seen = set() if seen_oids is None else seen_oids
        if id(content) in seen:
            return content
        environment: Any = jinja_env
        if environment is None and not self._is_settled(content, seen):
            environment = self.get_template_env()
        if isinstance(content, str):
            return self._render_text(content, context, environment)
        if _is_object_storage_path(content):
            return self._render_object_storage_path(content, context, environment)
        if not _is_path(content) and (resolve := getattr(content, "resolve", None)):
            return resolve(context)
        if isinstance(content, dict):
            return {key: self.render_template(value, context, environment, seen) for key, value in content.items()}
        if isinstance(content, list | tuple | set | frozenset):
            elements = [self.render_template(element, context, environment, seen) for element in content]
            return _like(content, elements)
        self._render_nested_template_fields(content, context, environment, seen)
        return content

    def leaves_as_it_is(self, content: Any) -> bool:
        """Whether it is known, without an environment, that rendering would change nothing in it."""
        return self._is_settled(content, set())

    def _is_settled(self, content: Any, settled: set[int]) -> bool:
        """Whether rendering leaves it as it is, so that it needs no environment: that costs more than most tasks do."""
        kind = type(content)
        if content is None or kind in _NUMBERS or id(content) in settled:
            return True
        if kind is str:
            return self._is_no_template(content)
        parts = content.values() if kind is dict else content if kind in _COLLECTIONS else None
        return parts is not None and all(self._is_settled(part, settled) for part in parts)

    def _is_no_template(self, text: str) -> bool:
        """As far as it can be said without an environment: a DAG may have other marks than those of Jinja."""
        dag = self._own_dag()
        return (
            dag is not None
            and not dag.jinja_environment_kwargs
            and not self._should_render_native(dag)
            and not (self.template_ext and text.endswith(tuple(self.template_ext)))
            and _says_nothing_to_jinja(text, _USUAL_MARKS)
        )

    def _render_text(self, text: str, context: Context, environment: jinja2.Environment | None) -> Any:
        if environment is None:
            return text
        if self.template_ext and text.endswith(tuple(self.template_ext)):
            return self._render(environment.get_template(text), context)
        is_native = self._should_render_native(self._own_dag())
        if not is_native and not _has_line_prefixes(environment) and _says_nothing_to_jinja(text, _marks(environment)):
            return text
        return self._render(environment.from_string(text), context)

    def _render_object_storage_path(self, path: Any, context: Context, environment: jinja2.Environment) -> Any:
        data = path.serialize()
        data["path"] = self._render(environment.from_string(data["path"]), context)
        return type(path).deserialize(data, path.__version__)

    def _render_nested_template_fields(
        self, value: Any, context: Context, jinja_env: jinja2.Environment | None, seen_oids: set[int]
    ) -> None:
        """Render the template fields of an object inside a field. Subclasses override it for objects that name none."""
        if id(value) in seen_oids:
            return
        seen_oids.add(id(value))
        fields = getattr(value, "template_fields", None)
        if fields is not None:
            self._do_render_template_fields(value, fields, context, jinja_env, seen_oids)

    def _render(self, template: jinja2.Template, context: Context, dag: DAG | None = None) -> Any:
        dag = dag if dag is not None else self._own_dag()
        return _jinja().render(template, context, native=self._should_render_native(dag))

    def _should_render_native(self, dag: DAG | None = None) -> bool:
        """Whether a rendered text becomes the Python value that it spells. The operator says so, else its DAG."""
        own = getattr(self, "render_template_as_native_obj", None)
        return bool(own if own is not None else dag is not None and dag.render_template_as_native_obj)

    def _own_dag(self) -> DAG | None:
        """The DAG of an operator; notifiers and triggers have none."""
        get_dag = getattr(self, "get_dag", None)
        dag: DAG | None = get_dag() if get_dag is not None else None
        return dag


def _jinja() -> Any:
    # With the module, every DAG file would pay for Jinja, and most processes that read one render nothing.
    return import_module("tradewind.sdk.jinja_environment")


def is_empty(value: Any) -> bool:
    """Whether there is nothing to render. Data frames and the like refuse to be asked: those are rendered."""
    try:
        return not value
    except Exception:
        return False


def _is_object_storage_path(value: Any) -> bool:
    """Whether it is an `ObjectStoragePath`. While nobody loaded that module, it cannot be one."""
    module = sys.modules.get("tradewind.sdk.object_storage.path")
    return module is not None and isinstance(value, module.ObjectStoragePath)


def _is_path(value: Any) -> bool:
    """Paths have a `resolve` too, which means something else. Those of universal-pathlib say so by joining only."""
    return isinstance(value, os.PathLike) or hasattr(value, "joinpath")


def _like(collection: Any, elements: list[Any]) -> Any:
    """A collection of the same kind with other elements; a named tuple takes them one by one."""
    kind = type(collection)
    if isinstance(collection, list):
        return elements
    if isinstance(collection, tuple):
        return tuple(elements) if kind is tuple else kind(*elements)
    return frozenset(elements) if isinstance(collection, frozenset) else set(elements)


def _says_nothing_to_jinja(text: str, marks: Iterable[str]) -> bool:
    """Whether rendering would give back the same text: most fields are no templates, and compiling one costs more."""
    # Jinja drops the last line break and writes all others its own way.
    return not any(mark in text for mark in marks) and not text.endswith("\n") and "\r" not in text


def _marks(environment: jinja2.Environment) -> tuple[str, ...]:
    return environment.variable_start_string, environment.block_start_string, environment.comment_start_string


def _has_line_prefixes(environment: jinja2.Environment) -> bool:
    return environment.line_statement_prefix is not None or environment.line_comment_prefix is not None


def _name_of(thing: Any) -> str:
    task_id = getattr(thing, "task_id", None)
    return type(thing).__name__ if task_id is None else f"task {task_id!r}"


def _redacted(value: Any) -> Any:
    # Only errors need it.
    return import_module("tradewind.sdk.secrets_masker").redact(value)
