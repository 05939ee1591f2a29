"""Notifiers: objects that tell somebody, in place of a callback function."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, cast

from tradewind.sdk.log import LoggingMixin
from tradewind.sdk.template import Templater

if TYPE_CHECKING:
    import jinja2

    from tradewind.sdk.context import Context
    from tradewind.sdk.dags import DAG


class BaseNotifier(LoggingMixin, Templater):
    """Called with the context like any callback, or awaited with the context it was made with.

    Subclasses write `notify`, `async_notify`, or both. Template fields join the context, and are rendered.
    """

    template_fields: Sequence[str] = ()
    template_ext: Sequence[str] = ()

    context: Context

    def __init__(self, context: Context | None = None) -> None:
        super().__init__()
        self.context = context if context is not None else {}
        self.resolve_template_files()

    def notify(self, context: Context) -> None:
        """Tell, where callbacks of tasks and DAGs run."""
        raise NotImplementedError(f"{type(self).__name__} has no notify")

    async def async_notify(self, context: Context) -> None:
        """Tell, in the event loop of a triggerer, where the callbacks of deadlines run."""
        raise NotImplementedError(f"{type(self).__name__} has no async_notify")

    def __call__(self, *args: Any) -> None:
        """Render, and tell. Four arguments are those of a callback for missed service levels of Airflow 2."""
        if len(args) == 1:
            context = args[0]
        else:
            names = ("dag", "task_list", "blocking_task_list", "blocking_tis")
            context = cast("Context", dict(zip(names, args, strict=False)))
        with self._prepared(context):
            self.notify(context)

    def __await__(self) -> Generator[Any, None, None]:
        return self._tell().__await__()

    async def _tell(self) -> None:
        with self._prepared(self.context):
            await self.async_notify(self.context)

    @contextmanager
    def _prepared(self, context: Context) -> Iterator[None]:
        """Rendered within the block, and a template again after it: one notifier may be the callback of many tasks."""
        templates = {field: getattr(self, field) for field in self.template_fields}
        self._update_context(context)
        try:
            self.render_template_fields(context)
            yield
        except Exception as error:
            self.log.error("%s could not tell anybody: %s", type(self).__name__, error)
            raise
        finally:
            for field, template in templates.items():
                setattr(self, field, template)

    def _update_context(self, context: Context) -> Context:
        context.update({field: getattr(self, field) for field in self.template_fields})  # type: ignore[typeddict-item]
        return context

    def render_template_fields(self, context: Context, jinja_env: jinja2.Environment | None = None) -> None:
        """Render all template fields, in place, in the environment of the DAG that the context is about."""
        dag: DAG | None = context.get("dag")
        environment = self.get_template_env(dag) if jinja_env is None else jinja_env
        self._do_render_template_fields(self, self.template_fields, context, environment, set())

    def _render(self, template: jinja2.Template, context: Context, dag: DAG | None = None) -> Any:
        return super()._render(template, context, dag if dag is not None else context.get("dag"))
